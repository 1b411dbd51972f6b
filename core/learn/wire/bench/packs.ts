import { z } from 'zod'
import { BenchPackId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { BENCHMARKS } from '../../evals/bench/benchmarks.ts'

/** A pack of a benchmark. */
export const BenchPackView = z
  .object({
    pack_id: BenchPackId,
    benchmark: z.enum(BENCHMARKS),
    name: z.string(),
    namespace: z.string(),
    questions: z.int(),
    size_bytes: z.int().meta({ description: 'Of the questions as they are stored' }),
    pack_sha256: z.string().meta({ description: 'SHA-256 of the file as it was uploaded' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'BenchPack' })
export type BenchPackView = z.output<typeof BenchPackView>

/** Answer of `GET /v1/bench/packs`. */
export const ListPacksAnswer = z.object({
  packs: z.array(BenchPackView),
  count: z.int(),
  next_cursor: NextCursor,
  installed: z
    .array(z.object({ benchmark: z.enum(BENCHMARKS), file: z.string(), size_bytes: z.int() }))
    .meta({ description: 'Packs of the operator, which a run takes where you have none' }),
})

/** Answer of `DELETE /v1/bench/packs/{pack_id}`. */
export const DeletePackAnswer = z.object({ deleted: z.literal(true), pack_id: BenchPackId })
