import { z } from 'zod'
import { AuditActor } from '../../../ledger/wire/audit.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

const EntryRow = z.object({
  id: z.string(),
  seq: z.int(),
  at: z.iso.datetime(),
  actor: z.string(),
  by: AuditActor,
  action: z.string(),
  target: z.string().nullable(),
  request_id: z.string(),
  payload: JsonValue,
})

/** Answer of `GET /v1/orgs/{id}/audit`. */
export const ListOrgAuditAnswer = z.object({ entries: z.array(EntryRow), next_cursor: NextCursor })
