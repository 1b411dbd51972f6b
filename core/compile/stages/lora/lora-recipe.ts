import { z } from 'zod'
import { AnyJson, Hash } from '../../../ledger/wire/fields.ts'
import type { Constraint } from '../../../model/generation/options.ts'
import { PromptFormat, valueText } from '../../../model/training/prompt.ts'

/** Constraint of the answers, in the recipe's spelling: labels are the values themselves. */
export const LoraConstraint = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('labels'), labels: z.array(AnyJson).min(2) }),
  z.strictObject({ type: z.literal('regex'), pattern: z.string().max(4096) }),
  z.strictObject({ type: z.literal('json-schema'), schema: AnyJson }),
])
export type LoraConstraint = z.infer<typeof LoraConstraint>

/** The base that an adapter was fitted on. The hash of its weights identifies it, the rest is for people. */
export const LoraBase = z.strictObject({
  name: z.string().min(1).max(100),
  weights_hash: Hash,
  architecture: z.string().max(100),
  parameters: z.int().positive(),
})
export type LoraBase = z.infer<typeof LoraBase>

/** Prompt and decoding of an adapter: everything besides its weights that determines an answer. */
export const LoraRecipe = z.strictObject({
  spec: z.literal('svc-lora-1'),
  base: LoraBase,
  prompt: PromptFormat,
  /** `text`: the answer is the output. `json`: the output is the value that the answer spells. */
  output: z.enum(['text', 'json']),
  constraint: LoraConstraint.nullable(),
  max_new_tokens: z.int().min(1).max(1_000_000),
  stop: z.array(z.string().min(1).max(1000)).max(16),
  /** The confidence below which it abstains; null where confidence is not meaningful. */
  abstain_below: z.number().min(0).max(1).nullable(),
})
export type LoraRecipe = z.infer<typeof LoraRecipe>

/** Returns the constraint in the form of the generator. */
export function generationConstraint({ constraint }: LoraRecipe): Constraint | undefined {
  if (constraint === null) return undefined
  return constraint.type === 'labels' ? { type: 'labels', labels: constraint.labels.map(valueText) } : constraint
}
