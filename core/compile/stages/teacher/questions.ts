/** The question for one unlabelled input, by its place in the list. */
export function labelQuestion(place: number): string {
  return `label/${place}`
}

/** The question for the repair of a sample, `round` from 1. */
export function repairQuestion(question: string, ordinal: number, round: number): string {
  return `${question}/${ordinal}/repair/${round}`
}

/** Kind of a question, by its name. */
export type QuestionKind =
  | { readonly kind: 'label'; readonly place: number }
  /** `root` is the question that was asked first; `repairs` is 0 for its own samples. */
  | { readonly kind: 'program'; readonly root: string; readonly repairs: number }

/** Parses the name of a question. Throws for any other text. */
export function parseQuestion(name: string): QuestionKind {
  const label = /^label\/(\d+)$/.exec(name)
  if (label !== null) return { kind: 'label', place: Number(label[1]) }
  const program = /^(program\/\d+)(?:\/\d+\/repair\/(\d+))?$/.exec(name)
  if (program?.[1] === undefined) throw new Error(`no question: ${name}`)
  return { kind: 'program', root: program[1], repairs: Number(program[2] ?? 0) }
}
