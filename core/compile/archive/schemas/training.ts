import { z } from 'zod'
import { AnyJson, Hash } from '../../../ledger/wire/fields.ts'
import { LoraBase } from '../../stages/lora/lora-recipe.ts'

/**
 * `training.json`: the training of an adapter. Only the fields that other members repeat are checked; the rest is
 * attested.
 */
export const TrainingDocument = z
  .object({
    spec: z.literal('svc-training-1'),
    trainer: z.enum(['embedded', 'peft']),
    base: LoraBase,
    hyperparameters: z.object({ seed: z.number().optional() }).catchall(AnyJson),
    seed: z.number(),
    data: z.object({ train_hash: Hash }).catchall(AnyJson),
    useful_tokens: z.number().nonnegative(),
  })
  .catchall(AnyJson)
export type TrainingDocument = z.infer<typeof TrainingDocument>
