import { z } from 'zod'
import { AnyJson, Hash, Name } from '../../../ledger/wire/fields.ts'
import { Figure } from '../../../kernel/wire/figure.ts'
import { ON_DOUBT } from '../../runtime/certificate/risk.ts'
import { Count, Share } from './fields.ts'

const JSON_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
const CLASSES = ['lower', 'upper', 'other_letter', 'digit', 'space', 'punctuation', 'symbol', 'other'] as const

/** Type of the outputs of the train rows. */
const OutputTypeDocument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('boolean') }),
  z.strictObject({ type: z.literal('number'), integer: z.boolean(), decimals: Count }),
  z.strictObject({ type: z.literal('label'), labels: z.array(AnyJson).min(1) }),
  z.strictObject({ type: z.literal('date'), pattern: z.string() }),
  z.strictObject({ type: z.literal('object'), members: z.array(z.string()) }),
  z.strictObject({ type: z.literal('list') }),
  z.strictObject({ type: z.literal('extraction') }),
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('mixed') }),
])

const at = { id: z.string().min(1), path: z.array(z.string()) }
const bounds = { ...at, min: z.number(), max: z.number() }

/** One check of an output. */
const CheckDocument = z.discriminatedUnion('kind', [
  z.strictObject({ ...at, kind: z.literal('type'), types: z.array(z.enum(JSON_TYPES)) }),
  z.strictObject({ ...at, kind: z.literal('one_of'), values: z.array(AnyJson) }),
  z.strictObject({ ...at, kind: z.literal('integer') }),
  z.strictObject({ ...bounds, kind: z.literal('range') }),
  z.strictObject({ ...bounds, kind: z.literal('length') }),
  z.strictObject({ ...bounds, kind: z.literal('items') }),
  z.strictObject({
    ...at,
    kind: z.literal('shape'),
    level: z.enum(['exact', 'loose']),
    shapes: z.array(z.string()),
  }),
  z.strictObject({ ...at, kind: z.literal('characters'), classes: z.array(z.enum(CLASSES)) }),
  z.strictObject({ ...at, kind: z.literal('members'), required: z.array(z.string()), closed: z.boolean() }),
  z.strictObject({
    ...at,
    kind: z.literal('copied'),
    unit: z.enum(['text', 'tokens', 'characters']),
    fold: z.boolean(),
  }),
  z.strictObject({ ...at, kind: z.literal('numbers_kept'), direction: z.enum(['from_input', 'all_of_input']) }),
  z.strictObject({
    ...at,
    kind: z.literal('familiar'),
    bits: z.base64().min(684).max(21_848),
    min_share: Share,
  }),
  z.strictObject({
    ...at,
    kind: z.literal('not_output'),
    pairs: z.array(z.strictObject({ input: Hash, output: Hash })),
  }),
])

const VerifierFields = {
  output: OutputTypeDocument,
  checks: z.array(CheckDocument),
  metamorphic: z.array(z.strictObject({ id: Name, change: z.enum(['outer_space', 'letter_case']), support: Count })),
  soundness: z.strictObject({ mutants: Count, accepted: Count, false_accept_rate: Share }),
  completeness: z.strictObject({ rows: Count, passed: Count, dropped: z.array(z.string()) }),
  abstention: z
    .strictObject({
      threshold: Share,
      chosen_on: z.literal('inner_cross_validation'),
      predictions: Count,
      right_withheld: Count,
      wrong_withheld: Count,
    })
    .nullable(),
  hash: Hash,
}

/** Checks of the input. */
const InputProfileDocument = z.strictObject({
  checks: z.array(CheckDocument),
  rows: Count,
  false_alarms: Count,
  false_alarm_rate: Share,
  dropped: z.array(z.string()),
})

/** `verifier.json`: the checks that were synthesized for the task; a run applies those of the second form. */
export const VerifierDocument = z.discriminatedUnion('spec', [
  z.strictObject({ spec: z.literal('svc-verifier-1'), ...VerifierFields }),
  z.strictObject({
    spec: z.literal('svc-verifier-2'),
    ...VerifierFields,
    inputs: InputProfileDocument,
    on_doubt: z.enum(ON_DOUBT),
    /** Absent in earlier builds. */
    figures: z
      .strictObject({
        false_accept_rate: Figure,
        false_alarm_rate: Figure,
        completeness: Figure,
        right_withheld: Figure,
        wrong_withheld: Figure,
      })
      .optional(),
  }),
])
export type VerifierDocument = z.infer<typeof VerifierDocument>
