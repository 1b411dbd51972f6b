import { hashText, type Random } from './random.ts'
import { TRAINED_FAMILIES } from './tasks/families.ts'
import type { Pair, Task, TaskFamily } from './tasks/task.ts'
import { passage } from './text/passages.ts'

/** One turn of a document: the input, the answer, and the weight of the answer in the loss. */
export interface Turn extends Pair {
  readonly weight: number
}

/** A piece of training text: a passage, or turns of one task. */
export type Document =
  | { readonly kind: 'passage'; readonly text: string }
  | { readonly kind: 'turns'; readonly turns: readonly Turn[] }

/** Inputs shorter than this are never held back: they come from small closed sets that must be learned whole. */
const OPEN_LENGTH = 12
/** One of so many longer inputs is held back for evaluation. */
const HELD_BACK = 32
const PASSAGES = 0.1
/** Loss weight of an answer that cannot be predicted from the text before it. */
const GUESS = 0.2

/** Returns true when an input is kept out of the training text for the evaluation. */
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
 * Returns the turns of one task: an instruction and one input (half of the time), examples alone, or both. Examples
 * without an instruction show the rule themselves; the first answer then has a low weight, since it cannot be
 * predicted.
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
