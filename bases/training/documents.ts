import { hashText, type Random } from './random.ts'
import { TRAINED_FAMILIES } from './tasks/families.ts'
import type { Pair, Task, TaskFamily } from './tasks/task.ts'
import { passage } from './text/passages.ts'

/** One turn of a document: what is given, what is to be answered, and how much the answer counts in the loss. */
export interface Turn extends Pair {
  readonly weight: number
}

/** A piece of training text: a passage, or turns of one task. */
export type Document =
  | { readonly kind: 'passage'; readonly text: string }
  | { readonly kind: 'turns'; readonly turns: readonly Turn[] }

/** Inputs shorter than this are never held back: they come from small closed sets that have to be learned whole. */
const OPEN_LENGTH = 12
/** One of so many longer inputs is held back for evaluation. */
const HELD_BACK = 32
const PASSAGES = 0.1
/** How much an answer counts that nothing before it could have told. */
const GUESS = 0.2

/** Whether an input is kept out of the training text, to be asked afterwards. */
export const isHeldBack = (input: string): boolean => input.length >= OPEN_LENGTH && hashText(input) % HELD_BACK === 0

function trainingPair(task: Task, random: Random): Pair {
  for (let tries = 0; tries < 50; tries++) {
    const pair = task.make(random)
    if (!isHeldBack(pair.input)) return pair
  }
  return task.make(random)
}

/** The input of a turn with the instruction before it. */
export const instructed = (instruction: string, input: string): string => `${instruction}\n${input}`

/**
 * Turns of one task: an instruction and one input (half of the time), examples alone, or both. Examples without an
 * instruction show the rule by themselves; then the first answer hardly counts, as nobody could know it.
 */
function turns(family: TaskFamily, random: Random): readonly Turn[] {
  const task = family.task(random)
  const roll = random.next()
  const isInstructed = roll < 0.65
  const count = roll < 0.5 ? 1 : random.between(2, 6)
  const instruction = random.pick(task.instructions)
  return Array.from({ length: count }, (_, i) => {
    const { input, output } = trainingPair(task, random)
    const leads = isInstructed && i === 0
    return { input: leads ? instructed(instruction, input) : input, output, weight: isInstructed || i > 0 ? 1 : GUESS }
  })
}

/** A random document of the training mixture. */
export function drawDocument(random: Random): Document {
  if (random.chance(PASSAGES)) return { kind: 'passage', text: passage(random) }
  return { kind: 'turns', turns: turns(random.pick(TRAINED_FAMILIES), random) }
}

/** The plain text of a document, for the tokenizer's training. */
export const textOf = (document: Document): readonly string[] =>
  document.kind === 'passage' ? [document.text] : document.turns.flatMap(({ input, output }) => [input, output])
