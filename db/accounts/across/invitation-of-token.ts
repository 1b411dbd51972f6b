import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { findOpenInvitation, type OpenInvitation } from '../invitations/find-invitation.ts'

/** Finds the invitation of a mailed token, of any tenant. Throws as `findOpenInvitation`. */
export async function findInvitationOfToken(
  db: Database,
  input: { readonly token: string; readonly now: Date },
): Promise<OpenInvitation> {
  const all = service.reader(db, 'a mailed token names its invitation, and that its tenant')
  return await findOpenInvitation(all, { ...input, isLocking: false })
}
