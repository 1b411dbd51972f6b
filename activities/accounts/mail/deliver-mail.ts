import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { MailError } from '../../../core/accounts/mail/mailer.ts'
import { isStale, renderMail } from '../../../core/accounts/mail/templates.ts'
import { markMailFailed, markMailSent, takeQueuedMail } from '../../../db/accounts/across/deliver.ts'
import type { MailDeps } from './deps.ts'

/** The outcome of a delivery; `nothing` when there was no mail left to send. */
export interface MailOutcome {
  readonly state: 'sent' | 'failed' | 'nothing'
  readonly errorCode?: string
}

/**
 * Sends one mail. Safe to repeat: a sent mail is not sent again, and one that was sent without being recorded keeps its
 * `Message-ID` on the second attempt. Throws `mail_not_delivered` when trying again may help.
 */
export async function deliverMail(deps: MailDeps, mailId: string): Promise<MailOutcome> {
  const { db, mailer } = deps
  const fail = async (errorCode: string): Promise<MailOutcome> => {
    await markMailFailed(db, { mailId, errorCode })
    return { state: 'failed', errorCode }
  }
  const mail = await takeQueuedMail(db, mailId)
  if (mail === null) return { state: 'nothing' }
  if (mailer === null) return await fail('mail_not_configured')
  if (isStale(mail.template, mail.params, deps.now())) return await fail('token_expired')
  try {
    await mailer.send({
      ...renderMail(mail.template, mail.params),
      messageId: `<${mailId}@${hostOf(deps.publicUrl)}>`,
      to: mail.recipient,
    })
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    deps.log.warn({ err: error, mail: mailId }, 'a mail was not taken')
    if (error.isPermanent) return await fail('mail_refused')
    throw ACCOUNTS_ERRORS.mail_not_delivered('the mail server did not accept the mail', { cause: error })
  }
  await markMailSent(db, { mailId, now: deps.now() })
  return { state: 'sent' }
}

function hostOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? 'svc.invalid' : new URL(publicUrl).hostname
}
