import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** The server's answer to the next mails. */
export interface MailReply {
  /** An SMTP reply code that refuses. */
  readonly code: number
  /** Which part is refused: the recipient, or the message. */
  readonly at: 'recipient' | 'message'
  /** Number of times. */
  readonly times: number
}

/** A mail server of this machine that keeps what it is sent. */
export interface MailServer {
  /** Its address with user and password. */
  readonly smtpUrl: string
  readonly mails: readonly Email[]
  /** Waits for a mail to this address that has not been waited for yet. */
  next(to: string): Promise<Email>
  refuse(reply: MailReply): void
  close(): Promise<void>
}

const USER = 'svc'
const PASSWORD = 'secret of the test server'

/** Starts a mail server on a free port. It takes mails from callers that log in. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Email[] = []
  const taken = new Set<Email>()
  const waiting = new Set<() => void>()
  let refusals: { code: number; at: MailReply['at']; left: number } | undefined
  const refusalAt = (at: MailReply['at']): Error | null => {
    if (refusals === undefined || refusals.at !== at || refusals.left === 0) return null
    refusals.left--
    return Object.assign(new Error('not now'), { responseCode: refusals.code })
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      const isRight = username === USER && password === PASSWORD
      done(isRight ? null : new Error('wrong user or password'), isRight ? { user: USER } : undefined)
    },
    onRcptTo: (_address, _session, done) => done(refusalAt('recipient')),
    onData(stream, _session, done) {
      void (async () => {
        const mail = await PostalMime.parse(await buffer(stream))
        const refusal = refusalAt('message')
        if (refusal === null) mails.push(mail)
        done(refusal)
        for (const wake of waiting) wake()
      })()
    },
  })
  // A caller that is killed drops its connection, and the mail with it.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => listening.once('listening', resolve))
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server listens on no port')
  const find = (to: string): Email | undefined =>
    mails.find((mail) => !taken.has(mail) && mail.to?.some((receiver) => receiver.address === to))
  return {
    smtpUrl: `smtp://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${address.port}`,
    mails,
    async next(to) {
      for (;;) {
        const mail = find(to)
        if (mail !== undefined) {
          taken.add(mail)
          return mail
        }
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    refuse({ code, at, times }) {
      refusals = { code, at, left: times }
    },
    close: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** A mail server for the surrounding suite. */
export function useMailServer(): { readonly current: MailServer } {
  let server: MailServer | undefined
  before(async () => {
    server = await startMailServer()
  })
  after(async () => {
    await server?.close()
  })
  return {
    get current() {
      if (server === undefined) throw new Error('the mail server is there once the tests run')
      return server
    },
  }
}
