import { z } from 'zod'
import { EXPORT_FORMATS, ROW_FORMATS } from '../../captures/export/format-names.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { CaptureIds, CaptureNamespace } from './fields.ts'
import { CaptureFilterQuery } from './reads.ts'

/** The query of an export. */
export const ExportCapturesQuery = CaptureFilterQuery.extend({
  format: z
    .enum(EXPORT_FORMATS)
    .default('jsonl')
    .meta({ description: '`openai-ft` is the form of fine-tuning files, `pairs` is `{input, output}`' }),
})

/** Captures to export inline. */
export const ExportNamedBody = z
  .object({
    capture_ids: CaptureIds,
    format: z.enum(ROW_FORMATS).default('jsonl'),
    namespace: CaptureNamespace.optional(),
  })
  .meta({ id: 'ExportNamedCaptures', example: { capture_ids: ['cap_0123456789abcdefghjkmnpqrs'] } })

/** The rows of named captures. */
export const ExportNamedAnswer = z.object({
  format: z.enum(ROW_FORMATS),
  count: z.int(),
  captures: z.array(JsonValue).meta({ description: 'Rows of the format, oldest first' }),
  not_found: z.array(z.string()).meta({ description: 'Unknown, forgotten, or stored without content' }),
})

/** Trailers of an export. */
export const EXPORT_COUNT = 'x-svc-export-count'
/** SHA-256 of the rows, with the head of a CSV. */
export const EXPORT_DIGEST = 'x-svc-export-digest'
