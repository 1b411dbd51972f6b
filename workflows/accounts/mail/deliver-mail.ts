import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { isErrorCode } from '../../../core/accounts/errors.ts'
import type { MailActivities } from '../../../activities/accounts/mail/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { FINISH, MAIL } from '../../kernel/policies.ts'
import { changedSignal, type MailOutcome } from './messages.ts'

const post = proxyActivities<MailActivities>(MAIL)
const finish = proxyActivities<MailActivities>(FINISH)

/**
 * Delivers the mail of the run's id, retrying for a day while the mail server is away. A mail that is refused or too
 * late ends its row as failed, and fails the workflow with the machine code as its type.
 */
export async function deliverMail(): Promise<MailOutcome> {
  setHandler(changedSignal, () => undefined)
  const mailId = workflowInfo().workflowId
  const { state, errorCode } = await attempt(mailId)
  if (errorCode === undefined) return { state }
  throw ApplicationFailure.create({
    type: errorCode,
    message: `the mail was not sent: ${errorCode}`,
    nonRetryable: true,
  })
}

async function attempt(mailId: string): Promise<MailOutcome & { readonly errorCode?: string }> {
  try {
    return await post.deliverMail.executeWithOptions({ ...MAIL, summary: 'Hand the mail to the server' }, [{ mailId }])
  } catch (error) {
    // The day is over: whatever error the last attempt met, the mail was not delivered.
    const isOver = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure
    const errorCode = isOver ? 'mail_not_delivered' : codeOfFailure(error, isErrorCode)
    await finish.giveUpMail.executeWithOptions({ ...FINISH, summary: `Give up: ${errorCode}` }, [{ mailId, errorCode }])
    return { state: 'failed', errorCode }
  }
}
