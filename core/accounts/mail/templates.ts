import { renderHtml, renderText, type MailContent } from './render.ts'

/** The mails of the service and the parameters of each. `…_at` are times in ISO 8601. */
export const MAIL_PARAMS = {
  verify: ['workspace', 'link', 'expires_at'],
  address_in_use: ['workspace', 'link'],
  sign_in: ['workspace', 'link', 'expires_at'],
  recover: ['workspace', 'link', 'expires_at'],
  claim_code: ['code', 'expires_at'],
  invitation: ['org', 'team', 'role', 'invited_by', 'link', 'expires_at'],
  payment_failed: ['workspace', 'plan', 'next_step_at'],
  suspended: ['workspace', 'plan'],
  recovered: ['workspace', 'plan'],
  plan_changed: ['workspace', 'from', 'to'],
  refunded: ['workspace', 'amount'],
  refund_failed: ['workspace', 'amount'],
  quota_80: ['workspace', 'used', 'quota', 'resets_at'],
  quota_100: ['workspace', 'used', 'quota', 'resets_at'],
  tenant_deleted: ['workspace', 'purge_at'],
} as const satisfies Record<string, readonly string[]>

/** One of the mails. */
export type MailTemplate = keyof typeof MAIL_PARAMS

/** Parameters of a mail by name. */
export type MailParams = Readonly<Record<string, string>>

/** Mails that are of no use after their `expires_at`. */
const PERISHABLE: ReadonlySet<MailTemplate> = new Set(['verify', 'sign_in', 'recover', 'claim_code', 'invitation'])

/** A rendered mail. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Throws an `Error` that names the missing parameter. */
export function requireMailParams(template: MailTemplate, params: MailParams): void {
  const absent = MAIL_PARAMS[template].filter((name) => params[name] === undefined)
  if (absent.length > 0) throw new Error(`a mail of the template ${template} needs ${absent.join(', ')}`)
}

/** True when the mail would come too late to be of use. */
export function isStale(template: MailTemplate, params: MailParams, now: Date): boolean {
  const expiresAt = params['expires_at']
  return PERISHABLE.has(template) && expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()
}

/** A mail in words. Throws an `Error` when something that it needs is absent. */
export function renderMail(template: MailTemplate, params: MailParams): RenderedMail {
  requireMailParams(template, params)
  const content = WORDS[template]((name) => params[name] ?? '')
  return { subject: content.subject, text: renderText(content), html: renderHtml(content) }
}

type Read = (name: string) => string

const until = (of: Read): string => `This works once, until ${day(of('expires_at'))}.`
const ignore = 'If you did not ask for this, you do not need to do anything.'

const WORDS: Readonly<Record<MailTemplate, (of: Read) => MailContent>> = {
  verify: (of) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `The workspace ${of('workspace')} was created with this address. Confirm it if that was you.`,
      until(of),
    ],
    action: { label: 'Confirm the address', link: of('link') },
    note: 'If you did not create the workspace, do not confirm. An unconfirmed workspace cannot act in your name.',
  }),
  address_in_use: (of) => ({
    subject: 'A new workspace was created with your e-mail address',
    paragraphs: [
      `A sign-up used this address, which belongs to your workspace ${of('workspace')}. It created a separate workspace. That workspace is not linked to yours, and your address is not confirmed there.`,
      'If this was you, sign in to your own workspace instead.',
    ],
    action: { label: 'Sign in', link: of('link') },
    note: 'If this was not you, you do not need to do anything. Your workspace and its keys are unchanged.',
  }),
  sign_in: (of) => ({
    subject: 'Your sign-in link',
    paragraphs: [`We received a request to sign in to ${of('workspace')} with this address.`, until(of)],
    action: { label: 'Sign in', link: of('link') },
    note: ignore,
  }),
  recover: (of) => ({
    subject: 'Get a new key',
    paragraphs: [
      `We received a request for a new key. Opening the link ends every key and every session of ${of('workspace')} and shows a new key.`,
      until(of),
    ],
    action: { label: 'Get a new key', link: of('link') },
    note: ignore,
  }),
  claim_code: (of) => ({
    subject: 'Your code for an anonymous workspace',
    paragraphs: [
      'We received a request to move an anonymous workspace into the account with this address. This is the code:',
      of('code'),
      until(of),
    ],
    note: `${ignore} Do not share the code.`,
  }),
  invitation: (of) => ({
    subject: `Invitation to ${of('org')}`,
    paragraphs: [
      of('team') === ''
        ? `${of('invited_by')} invites you to ${of('org')} as ${of('role')}.`
        : `${of('invited_by')} invites you to the team ${of('team')} of ${of('org')} as ${of('role')}.`,
      until(of),
    ],
    action: { label: 'Accept', link: of('link') },
    note: 'If you do not know who this is, you do not need to do anything.',
  }),
  payment_failed: (of) => ({
    subject: 'A payment failed',
    paragraphs: [
      `A payment for the plan ${of('plan')} of ${of('workspace')} failed.`,
      `We will try again. Please check the payment method before ${day(of('next_step_at'))}.`,
    ],
  }),
  suspended: (of) => ({
    subject: 'Your plan is suspended',
    paragraphs: [
      `Payments for the plan ${of('plan')} of ${of('workspace')} failed several times, so the free plan applies.`,
      'Your data is kept. The plan returns as soon as a payment succeeds.',
    ],
  }),
  recovered: (of) => ({
    subject: 'Your plan is active again',
    paragraphs: [`The payment arrived: ${of('workspace')} has the plan ${of('plan')} again.`],
  }),
  plan_changed: (of) => ({
    subject: 'Your plan has changed',
    paragraphs: [`${of('workspace')} went from the plan ${of('from')} to ${of('to')}.`],
  }),
  refunded: (of) => ({
    subject: 'A refund is on its way',
    paragraphs: [`${of('amount')} will be refunded to the payment method of ${of('workspace')}.`],
  }),
  refund_failed: (of) => ({
    subject: 'A refund failed',
    paragraphs: [
      `${of('amount')} could not be refunded to the payment method of ${of('workspace')}.`,
      'The operator of the service can see the reason. Contact them to receive the refund.',
    ],
  }),
  quota_80: (of) => ({
    subject: 'Most of your quota is used',
    paragraphs: [
      `${of('workspace')} has used ${of('used')} of ${of('quota')} units.`,
      `Your quota resets on ${day(of('resets_at'))}.`,
    ],
  }),
  quota_100: (of) => ({
    subject: 'Your quota is used up',
    paragraphs: [
      `${of('workspace')} has used ${of('used')} of ${of('quota')} units. Metered calls are refused.`,
      `Your quota resets on ${day(of('resets_at'))}; a larger plan applies immediately.`,
    ],
  }),
  tenant_deleted: (of) => ({
    subject: 'Your account is deleted',
    paragraphs: [
      `The account ${of('workspace')} is deleted, and its keys no longer work.`,
      `Its data is removed on ${day(of('purge_at'))}. Signed artifacts can still be verified.`,
    ],
  }),
}

/** Formats a time for people; a text that is not a time stays unchanged. */
function day(time: string): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return time
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
