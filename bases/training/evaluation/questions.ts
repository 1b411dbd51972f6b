import { instructed, isHeldBack } from '../documents.ts'
import { createRandom, hashText, mixSeed, type Random } from '../random.ts'
import type { Pair, Task, TaskFamily } from '../tasks/task.ts'

/** One question to the base: answered turns before it, the input, and the only right answer. */
export interface Question {
  readonly answered: readonly Pair[]
  readonly input: string
  readonly output: string
  /** True when the input was kept out of training; inputs of small closed sets cannot be. */
  readonly isUnseen: boolean
}

/** Form in which a question states its rule. */
export type Telling = 'instruction' | 'examples'

/** Examples before a question that states its rule by examples. */
const EXAMPLES = 4
const TRIES = 400

/** A pair whose input was held back, or any when the family seems to have none. */
function heldBackPair(task: Task, random: Random): Pair {
  for (let tries = 0; tries < TRIES; tries++) {
    const pair = task.make(random)
    if (isHeldBack(pair.input)) return pair
  }
  return task.make(random)
}

function question(family: TaskFamily, telling: Telling, random: Random): Question {
  const task = family.task(random)
  const { input, output } = heldBackPair(task, random)
  const isUnseen = isHeldBack(input)
  if (telling === 'instruction')
    return { answered: [], input: instructed(random.pick(task.instructions), input), output, isUnseen }
  return { answered: Array.from({ length: EXAMPLES }, () => task.make(random)), input, output, isUnseen }
}

/** Questions of a family; the same for the same seed. */
export function questionsOf(family: TaskFamily, telling: Telling, count: number, seed: number): readonly Question[] {
  const random = createRandom(mixSeed(seed, hashText(`${telling} ${family.name}`)))
  return Array.from({ length: count }, () => question(family, telling, random))
}
