/** A mail as it leaves. */
export interface OutgoingMail {
  /** The same for every attempt at one mail, so that the receiver's mail program can drop duplicates. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Sends mails. */
export interface Mailer {
  /** Hands a mail to the server. Throws `MailError` when it does not take it. */
  send(mail: OutgoingMail): Promise<void>
  close(): void
}

/** Thrown when a mail did not leave. A permanent one is refused every time: there is no such mailbox, or none for us. */
export class MailError extends Error {
  readonly isPermanent: boolean

  constructor(message: string, options: { readonly isPermanent: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'MailError'
    this.isPermanent = options.isPermanent
  }
}
