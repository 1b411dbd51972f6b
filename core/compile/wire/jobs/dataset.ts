import { z } from 'zod'
import { DatasetId } from '../../../kernel/wire/ids.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'

/** The version of a dataset whose rows a job compiles, as its spec, its view and its archive name it. */
export const UsedDataset = z
  .object({
    dataset_id: DatasetId,
    version: z.int().min(1),
    merkle_root: z.string().meta({ description: 'Root of the Merkle tree over the rows of the version' }),
    run_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'The distillation that compiles them; absent without one' }),
  })
  .meta({ id: 'UsedDataset', description: 'The version of a dataset whose rows it compiles' })
/** A version of a dataset. */
export type UsedDataset = z.infer<typeof UsedDataset>

/** Returns the dataset that a spec names; undefined for a job of other rows. */
export function usedDatasetOf(spec: JsonObject): UsedDataset | undefined {
  const named = UsedDataset.safeParse(spec['dataset'])
  return named.success ? named.data : undefined
}
