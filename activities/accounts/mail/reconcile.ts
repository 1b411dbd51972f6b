import { Mail } from '../../../core/accounts/workflows.ts'
import { claimDueMails } from '../../../db/accounts/across/due-mails.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Delivers mails that are still queued, also when their run was lost. */
export const reconcileMails = reconciles({ family: Mail, open: async ({ db }, page) => await claimDueMails(db, page) })
