import { deleteTenant } from '../../../db/overview/deletion/delete-tenant.ts'
import { clearSessionCookie } from '../../kernel/cookies.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { DeleteAccountAnswer, DeleteAccountBody } from '../../../core/overview/wire/account/deletion.ts'
import { defineRoute } from '../services.ts'

export const deleteAccountRoute = defineRoute({
  method: 'post',
  path: '/v1/account/delete',
  operationId: 'deleteAccount',
  group: 'accounts',
  summary: 'Delete the account',
  description:
    'Keys, sessions, invitations and subscriptions end immediately. The data of the account is removed some weeks later, except its invoices and its ledger. Signed artifacts still verify.',
  auth: 'key',
  scope: 'account:delete',
  namespace: 'refused',
  stores: 'bounded',
  setsCookie: true,
  body: DeleteAccountBody,
  answers: { 200: envelope('The account is deleted', DeleteAccountAnswer) },
  errors: ['confirm_mismatch'],
}).handle(async ({ services, op, body }) => {
  const deletedAt = await deleteTenant(op, { confirm: body.confirm, limits: services.limits })
  forgetCredential(services, op.tenantId)
  return {
    status: 200,
    body: { deleted_at: deletedAt.toISOString() },
    headers: { 'Set-Cookie': clearSessionCookie(services.settings) },
  }
})
