import { usageError } from '../../cli-error.ts'
import { RevokeScopedKeyAnswer } from '../../../core/accounts/wire/keys/scoped.ts'
import type { CliContext } from '../../context.ts'
import { findKey } from './find-key.ts'

/** `svc keys revoke`. */
export async function revokeKey(context: CliContext, named: string): Promise<void> {
  const client = await context.client()
  const key = await findKey(client, named)
  if (key.primary) throw usageError('the primary key cannot be revoked, only replaced: svc keys rotate')
  await client.call(`/v1/account/scoped-keys/${key.id}`, RevokeScopedKeyAnswer, { method: 'DELETE' })
  context.output.result({ id: key.id, prefix: key.prefix, revoked: true }, () => `${key.prefix} (${key.id}) is revoked`)
}
