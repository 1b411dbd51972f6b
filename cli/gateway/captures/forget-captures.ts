import { ForgetAnswer } from '../../../core/gateway/wire/captures/forgets.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { requireConsent } from '../../terminal/overwrite.ts'

/** Options of `svc captures forget`. */
export interface ForgetFlags {
  readonly subject?: string
  readonly pattern?: string
  readonly reason: string
  readonly namespace?: string
  readonly force?: boolean
}

/** `svc captures forget`. */
export async function forgetCaptures(context: CliContext, ids: readonly string[], flags: ForgetFlags): Promise<void> {
  const { subject, pattern, reason, namespace, force } = flags
  if ([ids.length > 0, subject !== undefined, pattern !== undefined].filter(Boolean).length !== 1) {
    throw usageError('name captures by their ids, or give --subject or --pattern')
  }
  if (force !== true && !process.stdin.isTTY) throw usageError('what is forgotten cannot be restored: add --force')
  await requireConsent('What is forgotten cannot be restored', 'Forget it?', force)
  const client = await context.client()
  const json = {
    confirm: true,
    reason,
    ...(ids.length > 0 && { capture_ids: ids }),
    ...(subject !== undefined && { subject }),
    ...(pattern !== undefined && { pattern }),
    ...(namespace !== undefined && { namespace }),
  }
  const answer = await client.call('/v1/captures/forget', ForgetAnswer, { method: 'POST', json })
  context.output.result(answer, () =>
    'forget' in answer
      ? `${answer.forget.forget_id} has begun; GET /v1/captures/forgotten shows its progress`
      : [
          `${answer.count} forgotten`,
          ...(answer.idempotent_hit ? ['all of them were forgotten before'] : []),
          ...answer.not_found.map((id) => `${id}: no such capture`),
        ].join('\n'),
  )
}
