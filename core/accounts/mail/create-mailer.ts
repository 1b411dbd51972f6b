import { createTransport } from 'nodemailer'
import { MailError, type Mailer } from './mailer.ts'

/** What the operator says of the server that mails leave through. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  readonly smtpUrl: string
  readonly from: string
}

/** Connections that this process keeps to the server. */
const CONNECTIONS = 2
const CONNECT_MS = 10_000
const SILENCE_MS = 30_000
/** Replies that say something about the mail; one about the login would be about us, and may be put right. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])

/** What mails leave through; null when the operator named no server. Connects when the first mail is sent. */
export function createMailer(settings: MailSettings | undefined): Mailer | null {
  if (settings === undefined) return null
  const transport = createTransport({
    url: settings.smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Mails are made of texts; nothing in one may make the service read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ messageId, to, subject, text, html }) {
      try {
        await transport.sendMail({ from: settings.from, to: { name: '', address: to }, messageId, subject, text, html })
      } catch (error) {
        throw toMailError(error)
      }
    },
    close: () => transport.close(),
  }
}

/**
 * RFC 5321, 4.2.1: a reply 5yz is final, and so is what the library finds wrong with the mail before it asks; everything
 * else may pass. The server's own words stay in the cause.
 */
function toMailError(error: unknown): MailError {
  const reply = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : undefined
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isAboutTheMail = ABOUT_THE_MAIL.has(code)
  const isPermanent = isAboutTheMail && (reply === undefined || reply >= 500)
  const unasked = isAboutTheMail ? 'the mail cannot be sent' : 'the mail server was not reached'
  const message = reply === undefined ? unasked : `the mail server answered ${reply}`
  return new MailError(message, { isPermanent, cause: error })
}
