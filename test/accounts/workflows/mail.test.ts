import { expect } from 'chai'
import { createMailer } from '../../../core/accounts/mail/create-mailer.ts'
import { enqueueMail, type MailTemplate } from '../../../db/accounts/mails/enqueue-mail.ts'
import { Mail } from '../../../core/accounts/workflows.ts'
import { openOutbox } from '../../../db/kernel/outbox/outbox.ts'
import { requestStart } from '../../../db/kernel/outbox/request-start.ts'
import { reconcileOne } from '../../support/workflows/chores.ts'
import { mailsTo } from '../../support/mail/mails.ts'
import { useMailServer } from '../../support/mail/smtp.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'
import { writeAll } from '../../support/db/send-sql.ts'

const HOUR_MS = 3_600_000

describe('mail workflow', () => {
  const server = useMailServer()
  const service = useService({
    change: (deps) => ({
      ...deps,
      mailer: createMailer({ smtpUrl: server.current.smtpUrl, from: 'Service <no-reply@service.test>' }),
      publicUrl: 'https://service.test',
    }),
  })
  const enqueue = async (to: string, given: { readonly expiresAt?: Date; readonly template?: MailTemplate } = {}) => {
    const { db } = service.database
    const expiresAt = given.expiresAt ?? new Date(Date.now() + HOUR_MS)
    return await writeAll(db, async (tx) =>
      enqueueMail(tx, db, {
        template: given.template ?? 'sign_in',
        to,
        tenantId: null,
        params: {
          workspace: 'ada-works',
          link: 'https://service.test/#confirm=<token>&"',
          expires_at: expiresAt.toISOString(),
        },
        now: new Date(),
      }),
    )
  }
  const resultOf = async (mailId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(mailId).result()
  const stateOf = async (to: string) => (await mailsTo(service.database.db, to)).map(({ state }) => state)

  it('sends a mail once, and erases its content', async () => {
    const to = 'sent@example.test'
    const mailId = await enqueue(to)
    await service.deps.workflows.start(mailId)
    expect(await openOutbox(service.database.db).find(mailId)).to.equal(null)
    const mail = await server.current.next(to)
    expect(mail.messageId).to.equal(`<${mailId}@service.test>`)
    expect(mail.from?.address).to.equal('no-reply@service.test')
    expect(mail.subject).to.equal('Your sign-in link')
    expect(mail.text).to.contain('https://service.test/#confirm=<token>&"').and.contain('ada-works')
    expect(mail.html).to.contain('href="https://service.test/#confirm=&lt;token&gt;&amp;&quot;"')
    expect(mail.html).to.not.match(/<img|<script|src=|url\(/)
    expect(await resultOf(mailId)).to.deep.equal({ state: 'sent' })
    expect(await stateOf(to)).to.deep.equal(['sent'])
    expect((await mailsTo(service.database.db, to))[0]?.params).to.deep.equal({})
    await recordHistory(service.temporal, 'mail-sent', mailId)

    // A second wake starts it again; it finds nothing to send, and ends.
    await writeAll(service.database.db, async (tx) => {
      await requestStart(tx, Mail, { mailId, tenantId: null })
    })
    await reconcileOne({ ...service.deps, now: () => new Date(Date.now() + 5000) }, 'mail')
    expect(await resultOf(mailId)).to.deep.equal({ state: 'nothing' })
    expect(server.current.mails.filter((sent) => sent.messageId === mail.messageId)).to.have.length(1)
  })

  it('tries again while the server says that it cannot take it now', async () => {
    const to = 'later@example.test'
    server.current.refuse({ code: 451, at: 'message', times: 1 })
    const mailId = await enqueue(to)
    await service.deps.workflows.start(mailId)
    await server.current.next(to)
    expect(await resultOf(mailId)).to.deep.equal({ state: 'sent' })
  })

  it('gives a mail up that the server refuses for good, or that comes too late', async () => {
    const to = 'absent@example.test'
    server.current.refuse({ code: 550, at: 'recipient', times: 1 })
    const refused = await enqueue(to)
    await service.deps.workflows.start(refused)
    const error: unknown = await resultOf(refused).catch((failure: unknown) => failure)
    expect(error).to.have.nested.property('cause.type', 'mail_refused')
    await recordHistory(service.temporal, 'mail-failed', refused)
    const late = await enqueue(to, { expiresAt: new Date(Date.now() - HOUR_MS) })
    await service.deps.workflows.start(late)
    await resultOf(late).catch(() => undefined)
    const mails = await mailsTo(service.database.db, to)
    expect(mails.map(({ state, errorCode }) => [state, errorCode])).to.deep.equal([
      ['failed', 'mail_refused'],
      ['failed', 'token_expired'],
    ])
    expect(server.current.mails.some((mail) => mail.to?.[0]?.address === to)).to.equal(false)
  })

  it('gives a mail up at once that no server could be handed', async () => {
    const odd = await enqueue('odd<er@example.test')
    await service.deps.workflows.start(odd)
    const error: unknown = await resultOf(odd).catch((failure: unknown) => failure)
    expect(error).to.have.nested.property('cause.type', 'mail_refused')
  })

  it('refuses a mail at once whose words would have gaps', async () => {
    const error: unknown = await enqueue('gap@example.test', { template: 'claim_code' }).catch(
      (failure: unknown) => failure,
    )
    expect(error).to.be.an('error').with.property('message').that.contains('needs code')
  })
})
