import { Mail } from '../../../core/accounts/workflows.ts'
import { claimDueMails } from '../../../db/accounts/across/due-mails.ts'
import { reconciles } from '../../kernel/reconcile/reconciliation.ts'

/** Mails that are still queued are delivered, whatever became of their run. */
export const reconcileMails = reconciles({ family: Mail, open: async ({ db }, page) => await claimDueMails(db, page) })
