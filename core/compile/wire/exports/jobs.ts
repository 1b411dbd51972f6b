import { z } from 'zod'
import { EXPORT_PARTS, EXPORT_TARGETS } from '../../../model/export/targets.ts'
import { ArtifactId, ExportId, GivenArtifactId } from '../../../kernel/wire/ids.ts'
import { EXPORT_STATES } from '../../rows/task.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** Export targets: the archive unchanged, or one of the formats. */
export const TARGETS = ['svc', ...EXPORT_TARGETS] as const

const DESTINATIONS = ['download'] as const

/** An export of an artifact. */
export const ExportView = z
  .object({
    export_id: ExportId,
    artifact_id: ArtifactId,
    target: z.enum(TARGETS),
    quant: z.string().nullable().meta({ description: 'How numbers are stored' }),
    part: z.enum(EXPORT_PARTS).meta({ description: 'Base and adapter as one, the base alone, or the adapter alone' }),
    destination: z.enum(DESTINATIONS),
    state: z.enum(EXPORT_STATES),
    target_url: z.string().nullable().meta({ description: 'Where the file is, while it is there' }),
    error: z.string().nullable(),
    error_code: z.string().nullable(),
    meta: z
      .object({ file_name: z.string(), media_type: z.string(), size_bytes: z.int(), sha256: z.string() })
      .nullable()
      .meta({ description: 'The file, once it was made' }),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When the file is removed' }),
  })
  .meta({ id: 'Export' })

/** Body of `POST /v1/exports`. */
export const CreateExportBody = z.object({
  artifact_id: GivenArtifactId,
  target: z.enum(TARGETS).default('svc'),
  quant: z.string().max(40).optional().meta({ description: 'How numbers are stored; the usual way when absent' }),
  part: z
    .enum(EXPORT_PARTS)
    .default('merged')
    .meta({ description: '`base` and `adapter` are for adapters; an adapter alone is written as gguf' }),
  destination: z.enum(DESTINATIONS).default('download'),
})

/** Answer of `POST /v1/exports`. */
export const CreateExportAnswer = z.object({
  export_id: ExportId,
  state: z.literal('queued'),
  poll: z.string(),
  export: ExportView,
})

/** Answer of `GET /v1/exports`. */
export const ListExportsAnswer = z.object({ exports: z.array(ExportView), count: z.int(), next_cursor: NextCursor })

/** Answer of `GET /v1/exports/{id}`. */
export const GetExportAnswer = z.object({ export: ExportView })
