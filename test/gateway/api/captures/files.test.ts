import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { runForget } from '../../../../db/gateway/captures/forget/run-forget.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const CARD = '4111 1111 1111 1111'
const TEXT = `Charge ${CARD}, says ada@example.org.`

describe('files of captures', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const set = async (body: object) => {
    const answer = await api.call('PUT', '/v1/gateway/namespaces/media', { key: tenant.key, body })
    expect(answer.status, answer.text).to.equal(200)
  }
  const send = async (bytes: string, name: string, type = 'text/plain', input = 'a file') => {
    const raw = new FormData()
    raw.set('file', new Blob([bytes], { type }), name)
    raw.set('input', input)
    return await api.call('POST', '/v1/capture/media', { key: tenant.key, raw })
  }
  const files = async () =>
    await sendSql(
      database.db,
      `select filename, mime, blob_sha256 from capture_media where tenant_id = $1 order by capture_id`,
      [tenant.id],
    )
  const inspect = async (id: string) =>
    (await api.call('GET', `/v1/captures/${id}/inspect`, { key: tenant.key })).body.capture

  it('are redacted in name and text, and the digest is that of the stored bytes', async () => {
    const sent = await send(TEXT, `${CARD}.txt`)
    expect(sent.status, sent.text).to.equal(201)
    const redacted = 'Charge VAR_PAYMENT_CARD_1, says VAR_EMAIL_1.'
    const hash = createHash('sha256').update(redacted).digest('hex')
    expect(sent.body.blobs[0]).to.deep.include({
      uri: `media:${hash}`,
      filename: 'VAR_PAYMENT_CARD_1.txt',
      is_stored: true,
    })
    const capture = await inspect(sent.body.event_ids[0])
    expect(capture.redaction_applied.toSorted()).to.deep.equal(['email', 'payment_card'])
    expect(await files()).to.deep.equal([
      { filename: 'VAR_PAYMENT_CARD_1.txt', mime: 'text/plain', blob_sha256: `sha256:${hash}` },
    ])
    const image = await send('\u0000 a dot', 'of ada@example.org (1).png', 'image/png')
    expect(image.body.blobs[0].filename).to.equal('of VAR_EMAIL_1 (1).png')
    const payload = { tool_name: 'lookup', data_uri: `data:text/plain;base64,${Buffer.from(TEXT).toString('base64')}` }
    const multimodal = await api.call('POST', '/v1/captures/multimodal', {
      key: tenant.key,
      body: { kind: 'image', namespace: 'media', payload },
    })
    expect(multimodal.status, multimodal.text).to.equal(201)
    expect((await files()).at(-1)).to.include({ blob_sha256: `sha256:${hash}` })
  })

  it('are refused where the namespace blocks, and not kept where it keeps metadata only', async () => {
    await set({ privacy_policy: 'block' })
    for (const [text, name] of [
      [TEXT, 'a.txt'],
      ['nothing', `${CARD}.txt`],
      ['name,card\nx,4111111111111111', 'a.csv'],
    ] as const) {
      const refused = await send(text, name)
      expect([refused.status, refused.body.code], name).to.deep.equal([403, 'privacy_policy_blocked'])
    }
    expect(await files()).to.deep.equal([])
    await set({ capture_mode: 'metadata_only' })
    const sent = await send('The parcel is blue.', 'parcel.txt')
    expect(sent.status, sent.text).to.equal(201)
    expect(sent.body.blobs[0]).to.include({ is_stored: false })
    expect(await files()).to.deep.equal([])
    expect((await inspect(sent.body.event_ids[0])).media).to.deep.equal([])
  })

  it('are forgotten by their name, and by their text, also of a capture without texts', async () => {
    await set({ privacy_policy: 'allow', redact_mode: 'detect_only' })
    const named = await send('nothing', 'canaryname.txt')
    const written = await send('A letter from canaryname', 'a.txt')
    const other = await send('A letter', 'b.txt')
    const bare = await send('nothing else', 'canaryname 2.txt')
    // The type is a claim of the caller.
    const claimed = [
      await send('A letter from canaryname', 'c.png', 'image/png'),
      await send('A letter from canaryname', 'd.mp3', 'audio/mpeg'),
    ]
    const data = Buffer.from('A letter from canaryname').toString('base64')
    const uris = [
      `data:image/png;base64,${data}`,
      `data:text/plain;BASE64,${data}`,
      'data:text/plain,A%20letter%20from%20%63anaryname',
      'data:image/png;name=canaryname;base64,iVBORw0KGgo=',
    ]
    const inline = await api.call('POST', '/v1/capture/log', {
      key: tenant.key,
      body: { namespace: 'media', items: uris.map((input) => ({ input, output: 'seen' })) },
    })
    const reviewed = await send('A note', 'e.txt')
    await api.call('POST', `/v1/captures/${reviewed.body.event_ids[0]}/review`, {
      key: tenant.key,
      body: { action: 'reject', reason: 'from canaryname' },
    })
    await sendSql(database.db, 'delete from capture_contents where id = $1', [bare.body.event_ids[0]])
    const begun = await api.call('POST', '/v1/captures/forget', {
      key: tenant.key,
      body: { confirm: true, pattern: 'keyword:canaryname' },
    })
    expect(begun.status, begun.text).to.equal(202)
    const { signingKeys, captureLearners: learners } = api.server.services
    const op = { ...setUpOperation(database.db, tenant.id), scopes: null }
    const run = { forgetId: begun.body.forget.forget_id, signer: signingKeys.current, learners }
    const count = await runForget(op, { ...run, signal: new AbortController().signal, onBatch: () => undefined })
    expect(count).to.equal(10)
    for (const { status } of [...claimed, inline]) expect(status).to.equal(201)
    expect((await files()).map(({ filename }) => filename)).to.deep.equal(['b.txt'])
    expect([named.status, written.status, other.status]).to.deep.equal([201, 201, 201])
  })
})
