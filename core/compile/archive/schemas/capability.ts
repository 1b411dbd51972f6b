import { z } from 'zod'
import { AnyJson, Name } from '../../../ledger/wire/fields.ts'

/** `capability.json`: the requirements of a machine. A recipe of `svc-1` takes text and runs on one runtime. */
export const CapabilityDocument = z
  .object({
    spec: z.literal('capability-v1'),
    runtimes: z.tuple([Name]),
    modalities: z.tuple([z.literal('text')]),
    min_vram_gb: z.number().positive().optional(),
    hash: z.string().regex(/^[0-9a-f]{16}$/),
  })
  .catchall(AnyJson)
export type CapabilityDocument = z.infer<typeof CapabilityDocument>
