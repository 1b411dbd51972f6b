import { markMailFailed } from '../../../db/accounts/across/deliver.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { deliverMail, type MailOutcome } from './deliver-mail.ts'
import type { MailDeps } from './deps.ts'

/** The activities that deliver mails. */
export const createMailActivities = (deps: MailDeps) => ({
  deliverMail: ({ mailId }: { readonly mailId: string }): Promise<MailOutcome> =>
    runActivity(deps.log, () => deliverMail(deps, mailId)),
  /** Ends a mail that could not be sent within a day. */
  giveUpMail: (input: { readonly mailId: string; readonly errorCode: string }): Promise<void> =>
    runActivity(deps.log, () => markMailFailed(deps.db, input)),
})

/** The mail delivery activities, as their workflow sees them. */
export type MailActivities = ReturnType<typeof createMailActivities>
