import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { AuditActor, AuditEntryView } from '../../../ledger/wire/audit.ts'
import { JOB_STATUSES, STAGES } from '../../../compile/rows/task.ts'

/** Answer of `GET /v1/admin/audit`. */
export const AdminListAuditAnswer = z.object({
  total: z.int(),
  events: z.array(
    z.object({
      id: z.string(),
      seq: z.int(),
      at: z.iso.datetime(),
      op: z.string(),
      actor: z.string(),
      by: AuditActor,
      sentence: AuditEntryView.shape.sentence,
      target: z.string().nullable(),
      request_id: z.string(),
      tenant_id: z.string(),
      tenant_name: z.string(),
      payload: JsonValue,
    }),
  ),
  next_cursor: NextCursor,
})

/** Answer of `GET /v1/admin/compile-jobs`. */
export const AdminListJobsAnswer = z.object({
  total: z.int(),
  jobs: z.array(
    z.object({
      id: z.string(),
      tenant: z.object({ id: z.string(), name: z.string() }),
      task: z.string(),
      status: z.enum(JOB_STATUSES),
      stage: z.enum(STAGES),
      k_score: z.number().nullable(),
      error_code: z.string().nullable(),
      created_at: z.iso.datetime(),
      completed_at: z.iso.datetime().nullable(),
    }),
  ),
  next_cursor: NextCursor,
})
