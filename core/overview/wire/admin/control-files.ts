import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'

/** A control file. */
export const ControlFileView = z
  .object({
    key: z.string(),
    title: z.string(),
    schema: z.string(),
    size_bytes: z.int().meta({ description: 'Of the rows as JSON' }),
    sha256: z.string(),
    row_count: z.int(),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'ControlFile' })

/** Answer of `GET /v1/admin/control-files`. */
export const AdminListControlFilesAnswer = z.object({ total: z.int(), files: z.array(ControlFileView) })

/** Answer of `GET /v1/admin/control-files/{key}`. */
export const AdminGetControlFileAnswer = z.object({ file: ControlFileView, rows: z.array(JsonValue) })
