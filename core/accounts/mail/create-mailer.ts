import { createTransport } from 'nodemailer'
import { MailError, type Mailer } from './mailer.ts'

/** SMTP settings of the operator. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  readonly smtpUrl: string
  readonly from: string
}

/** Connections that this process keeps to the server. */
const CONNECTIONS = 2
const CONNECT_MS = 10_000
const SILENCE_MS = 30_000
/** SMTP errors caused by the mail itself. A failed login is a fault of the service's settings and may be repaired. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])

/** Creates the SMTP mailer; null when no server is configured. Connects when the first mail is sent. */
export function createMailer(settings: MailSettings | undefined): Mailer | null {
  if (settings === undefined) return null
  const transport = createTransport({
    url: settings.smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A mail's text must not make the service read a file or fetch an address.
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
 * RFC 5321, 4.2.1: a 5yz reply is final, and so is a fault that the library finds in the mail before sending it; every
 * other failure may pass. The server's text is kept in the cause.
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
