import { invalidField } from '../../../kernel/errors.ts'

/** Contestants that learn from the train rows, and need nothing else. */
export const LEARNERS = ['rule', 'classifier', 'cache'] as const
/** Contestants that ask a model of a provider, by what the prompt holds. */
export const ASKED = ['prompt_only', 'few_shot'] as const

/** A contestant of a bake-off: the one that answers its rows. */
export type Contestant = { readonly name: string } & (
  | { readonly kind: (typeof LEARNERS)[number] }
  | { readonly kind: 'artifact'; readonly artifactId: string }
  | { readonly kind: 'base'; readonly base: string }
  | { readonly kind: (typeof ASKED)[number]; readonly model: string }
)
/** The kind of a contestant. */
export type ContestantKind = Contestant['kind']

/** The kinds of contestants, in the order in which ties are broken. */
export const CONTESTANT_KINDS = [
  'cache',
  'rule',
  'classifier',
  'artifact',
  'base',
  'prompt_only',
  'few_shot',
] as const satisfies readonly ContestantKind[]

/** Contestants of a bake-off that names none. */
export const DEFAULT_CONTESTANTS = ['cache', 'rule', 'classifier'] as const

const ARTIFACT = /^cmp_[0-9a-hjkmnp-tv-z]{26}$/

/** Reads the name of a contestant. Throws `validation_failed`, which names the field and the forms that are known. */
export function readContestant(name: string, field: string): Contestant {
  const learner = LEARNERS.find((kind) => kind === name)
  if (learner !== undefined) return { name, kind: learner }
  if (ARTIFACT.test(name)) return { name, kind: 'artifact', artifactId: name }
  const at = name.indexOf(':')
  const [before, after] = [name.slice(0, Math.max(0, at)), name.slice(at + 1)]
  const asked = ASKED.find((kind) => kind === before)
  if (after !== '' && asked !== undefined) return { name, kind: asked, model: after }
  if (after !== '' && before === 'base') return { name, kind: 'base', base: after }
  throw invalidField(
    field,
    'must be the id of an artifact, rule, classifier, cache, base:<name>, prompt_only:<model> or few_shot:<model>',
  )
}

/** Returns true for a contestant whose answers a provider gives and charges. */
export function isAsked(contestant: Contestant): contestant is Contestant & { readonly kind: (typeof ASKED)[number] } {
  return contestant.kind === 'prompt_only' || contestant.kind === 'few_shot'
}
