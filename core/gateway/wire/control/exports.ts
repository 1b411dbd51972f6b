import { z } from 'zod'
import { idOf } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** The id of a declared export. */
export const DeclarationId = idOf('dcl', 'Id of a declared export')

/** A declared export. */
export const DeclarationView = z
  .object({
    export_id: DeclarationId,
    state: z.literal('declared'),
    delivery: z.literal('none').meta({
      description: 'This service does not deliver the data itself; the system that does can refer to the declaration',
    }),
    destination_id: z.string(),
    destination_class: z.string(),
    created_at: z.iso.datetime(),
    delivery_ledger: JsonValue,
  })
  .meta({ id: 'ExportDeclaration' })

/** Body of `POST /v1/account/api-control-center/exports`. */
export const DeclareExportBody = z.looseObject({
  export_mode: JsonValue.optional(),
  destination: JsonValue.optional(),
  destination_class: JsonValue.optional(),
  processor: JsonValue.optional(),
  payload_class: JsonValue.optional(),
  redaction_mode: JsonValue.optional(),
  payload: JsonValue.optional(),
  evidence: JsonValue.optional(),
})

/** Answer of `GET /v1/account/api-control-center/exports`. */
export const ListDeclaredExportsAnswer = z.object({
  total: z.int(),
  exports: z.array(DeclarationView),
  next_cursor: NextCursor,
})
