import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { ZipFile } from 'yazl'
import { wordScore, wordWeight } from '../../../../core/kernel/search/bm25.ts'
import { chunkText } from '../../../../core/compile/documents/chunk-text.ts'
import { queryTerms, termsOf } from '../../../../core/compile/documents/terms.ts'
import { mkdtempSync } from 'node:fs'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { useService } from '../../../support/workflows/service.ts'
import { reconcileOne } from '../../../support/workflows/chores.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

describe('documents of a namespace', () => {
  const workspaces = mkdtempSync(join(tmpdir(), 'svc-workspaces-'))
  const service = useService({
    workspacesDir: workspaces,
    change: (deps) => ({
      ...deps,
      limits: {
        ...deps.limits,
        document_inflated_bytes: 1_000_000,
        document_text_chars: 20_000,
        document_chunks_per_namespace: 40,
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { workspacesDir: workspaces },
  })
  let tenant: ApiTenant
  let stranger: ApiTenant
  let root: string
  before(async () => {
    tenant = await givenApiTenant(api)
    stranger = await givenApiTenant(api)
    root = join(workspaces, tenant.id)
    await mkdir(root)
  })
  after(async () => await rm(workspaces, { recursive: true }))

  const post = async (path: string, body: object, key = tenant.key): Promise<Answer> =>
    await api.call('POST', path, { key, body })
  const recall = async (namespace: string, query: string, k = 12): Promise<Answer> =>
    await post('/v1/recall', { namespace, query, k })
  const upload = async (namespace: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<Answer> => {
    const form = new FormData()
    form.append('namespace', namespace)
    for (const [name, content] of Object.entries(files)) {
      form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name)
    }
    return await api.call('POST', '/v1/embed', { key: tenant.key, raw: form })
  }
  const named = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text)
    return Object.keys(files).map((name) => join(root, name))
  }

  it('tells nothing indexed from nothing found', async () => {
    const empty = await recall('nothing', 'late delivery')
    expect(empty.status, empty.text).to.equal(200)
    expect(empty.body).to.deep.include({ namespace: 'nothing', n: 0, chunks: [], indexed: { documents: 0, chunks: 0 } })
    await upload('few', { 'a.txt': 'Parcels travel for three days.' })
    const none = await recall('few', 'zebra')
    expect(none.body).to.deep.include({ n: 0, chunks: [], indexed: { documents: 1, chunks: 1 } })
    expect(none.body.retrieval).to.deep.include({ method: 'lexical', terms: ['zebra'], vectors: null })
  })

  it('indexes files of the workspace, and reads unchanged ones no second time', async () => {
    const paths = await named({
      'notes.txt': 'A late delivery is refunded after five days.',
      'guide.md': '# Returns\n\nSend the parcel back within a month.',
      'page.html': '<title>Fees</title><body><script>late()</script><p>No fee for a late delivery</p></body>',
    })
    const first = await post('/v1/embed', { namespace: 'support', paths })
    expect(first.status, first.text).to.equal(200)
    expect(first.body).to.deep.include({
      state: 'succeeded',
      indexed: 3,
      skipped: 0,
      failed: 0,
      by_modality: { text: 1, markdown: 1, html: 1 },
    })
    await recordHistory(service.temporal, 'index-succeeded', first.body.index_id)
    const found = await recall('support', 'late deliveries', 3)
    expect(found.body.n).to.equal(2)
    expect(found.body.chunks.map((chunk: { path: string }) => chunk.path)).to.have.members([paths[0], paths[2]])
    expect(found.text).to.not.include('late()')

    const again = await post('/v1/embed', { namespace: 'support', paths })
    expect(again.body).to.include({ indexed: 0, skipped: 3 })
    // The same bytes with another time are read, and found to be the same.
    await utimes(paths[0] ?? '', new Date(), new Date(Date.now() + 60_000))
    expect((await post('/v1/embed', { namespace: 'support', paths: [paths[0]] })).body).to.include({ skipped: 1 })
    await writeFile(paths[0] ?? '', 'Nothing about parcels.')
    expect((await post('/v1/embed', { namespace: 'support', paths: [paths[0]] })).body).to.include({ indexed: 1 })
    expect((await recall('support', 'late delivery')).body.n).to.equal(1)
    const forced = await post('/v1/embed', { namespace: 'support', paths: [paths[1]], force: true })
    expect(forced.body).to.include({ indexed: 1, skipped: 0 })
  })

  it('reads nothing outside of the workspace, and follows no link', async () => {
    const secret = join(workspaces, 'secret.txt')
    await writeFile(secret, 'canary-outside')
    await symlink(secret, join(root, 'link.txt'))
    await symlink(workspaces, join(root, 'up'))
    const cases: readonly (readonly [paths: readonly string[], code: string, field: string])[] = [
      [['notes.txt'], 'validation_failed', 'paths.0'],
      [[join(root, 'a.txt'), '/etc/passwd'], 'path_outside_workspace', 'paths.1'],
      [[`${root}/../secret.txt`], 'path_outside_workspace', 'paths.0'],
      [[join(workspaces, stranger.id, 'a.txt')], 'path_outside_workspace', 'paths.0'],
      [[root], 'path_outside_workspace', 'paths.0'],
    ]
    for (const [paths, code, field] of cases) {
      const { status, body, text } = await post('/v1/embed', { namespace: 'outside', paths })
      expect([status, body.code, body.details.fields[0].field]).to.deep.equal([400, code, field])
      expect(text).to.not.include(workspaces)
    }
    for (const name of ['link.txt', 'up/secret.txt']) {
      const linked = await post('/v1/embed', { namespace: 'outside', paths: [join(root, name)] })
      expect([linked.status, linked.body.code]).to.deep.equal([400, 'path_outside_workspace'])
      expect(linked.body.error).to.equal('paths.0: leads through a link; name the file itself')
    }
    const absent = await post('/v1/embed', { namespace: 'outside', paths: [join(root, 'absent.txt')] })
    expect(absent.body).to.include({ indexed: 0, failed: 1 })
    expect(absent.body.files[0].reason).to.equal('is not there, or may not be read')
    expect((await recall('outside', 'canary outside')).body.n).to.equal(0)
  })

  it('keeps files without a readable text as documents, and says why', async () => {
    const bomb = await zipped({
      '[Content_Types].xml': '<Types/>',
      'word/document.xml': Buffer.alloc(3_000_000, 0x20),
    })
    const { status, body, text } = await upload('odd', {
      'broken.pdf': '%PDF-1.7 and nothing else',
      'locked.pdf': encryptedPdf(),
      'locked.docx': Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      'bomb.docx': bomb,
      'photo.png': Buffer.from('89504e470d0a1a0a', 'hex'),
      'fine.docx': await docx('The warranty lasts two years.'),
    })
    expect(status, text).to.equal(200)
    const reasons = Object.fromEntries(
      body.files.map((file: { path: string; reason: string | null }) => [file.path, file.reason]),
    )
    expect(reasons).to.deep.equal({
      'broken.pdf': 'is a damaged PDF',
      'locked.pdf': 'is an encrypted PDF: save it without a password',
      'locked.docx': 'is protected by a password or in an old format: save it in the current one without',
      'bomb.docx': 'inflates to more than 1000000 bytes, or holds too many parts',
      'photo.png': 'image files have no text that this service extracts',
      'fine.docx': null,
    })
    const list = await api.call('GET', '/v1/documents?namespace=odd', { key: tenant.key })
    const read = list.body.documents.filter((one: { content_extracted: boolean }) => one.content_extracted)
    expect(read.map((one: { path: string }) => one.path)).to.deep.equal(['fine.docx'])
    expect((await recall('odd', 'warranty')).body.chunks[0]).to.include({ path: 'fine.docx' })
  })

  it('scores chunks as BM25 does by brute force', async () => {
    const words = 'red green blue apple pear plum stone river cloud'.split(' ')
    const files: Record<string, string> = {}
    for (let file = 0; file < 12; file++) {
      const text = Array.from(
        { length: 20 + file * 37 },
        (_, at) => words[(at * at * (file + 3) + file) % words.length],
      )
      files[`f${file}.txt`] = text.join(file % 2 === 0 ? ' ' : '\n')
    }
    expect((await upload('bm25', files)).body).to.include({ indexed: 12 })
    const chunks = Object.entries(files).flatMap(([path, text]) =>
      chunkText(text).map((chunk, seq) => ({ path, seq, terms: termsOf(chunk.text) })),
    )
    const averageLength = chunks.reduce((sum, { terms }) => sum + terms.length, 0) / chunks.length
    for (const query of ['red apples', 'plum stone rivers', 'cloud', 'green green blue pear absent']) {
      const expected = chunks
        .map(({ path, seq, terms }) => ({
          key: `${path}/${seq}`,
          score: queryTerms(query).reduce((sum, term) => {
            const held = chunks.filter((chunk) => chunk.terms.includes(term)).length
            const count = terms.filter((each) => each === term).length
            const word = { count, length: terms.length, averageLength }
            return sum + wordWeight(chunks.length, held) * wordScore(word)
          }, 0),
        }))
        .filter(({ score }) => score > 0)
      const { body } = await recall('bm25', query, 100)
      expect(body.indexed.chunks).to.equal(chunks.length)
      const scores = new Map(expected.map(({ key, score }) => [key, score]))
      expect(body.n).to.equal(Math.min(100, expected.length))
      for (const { path, seq, score } of body.chunks)
        expect(score).to.be.closeTo(scores.get(`${path}/${seq}`) ?? 0, 1e-9)
    }
  })

  it('shows documents to their tenant alone, and forgets deleted ones', async () => {
    const { body } = await upload('own', { 'mine.txt': 'A private canary sings.' })
    expect((await api.call('GET', `/v1/embed/${body.index_id}`, { key: stranger.key })).status).to.equal(404)
    expect((await post('/v1/recall', { namespace: 'own', query: 'canary' }, stranger.key)).body).to.include({ n: 0 })
    const list = await api.call('GET', '/v1/documents?namespace=own', { key: tenant.key })
    const [document] = list.body.documents
    expect((await api.call('DELETE', `/v1/documents/${document.document_id}`, { key: stranger.key })).status).to.equal(
      404,
    )
    expect((await recall('own', 'canary')).body.n).to.equal(1)
    const gone = await api.call('DELETE', `/v1/documents/${document.document_id}`, { key: tenant.key })
    expect(gone.body).to.include({ deleted: true })
    const log = await api.call('GET', '/v1/account/audit-log?limit=20', { key: tenant.key })
    const actions = log.body.entries.map(({ op }: { op: string }) => op)
    expect(actions).to.include('document.deleted').and.include('documents.indexed')
    expect((await recall('own', 'canary')).body).to.deep.include({ n: 0, indexed: { documents: 0, chunks: 0 } })
  })

  it('keeps what fits of long texts, and no file whose chunks do not fit into the namespace', async () => {
    const words = (chars: number) => 'one two three four '.repeat(chars).slice(0, chars)
    expect((await upload('full', { 'long.txt': `${words(20_000)} zebra` })).body).to.include({ indexed: 1 })
    const { body: listed } = await api.call('GET', '/v1/documents?namespace=full', { key: tenant.key })
    expect(listed.documents[0].characters).to.equal(20_000)
    const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.txt`, words(19_000)]))
    const { body } = await upload('full', files)
    expect(body.failed, JSON.stringify(body)).to.be.at.least(1)
    expect(body.files.at(-1).reason).to.equal('does not fit: a namespace has at most 40 chunks')
    expect((await recall('full', 'two')).body.indexed.chunks).to.be.within(1, 40)
    expect((await upload('full', { 'long.txt': words(19_900) })).body).to.include({ indexed: 1 })
  })

  it('makes a namespace known to compiles', async () => {
    const examples = [
      { input: 'a', output: 'A' },
      { input: 'b', output: 'B' },
    ]
    const spec = { task: 'Upper case', examples, corpus_namespace: 'known', mode: 'async' }
    expect((await post('/v1/compile', spec)).body).to.include({ code: 'unknown_namespace' })
    await upload('known', { 'a.txt': 'Letters.' })
    expect((await post('/v1/compile', spec)).status).to.equal(202)
  })

  it('ends a call whose run ended without ending it', async () => {
    const { body } = await upload('lost', { 'a.txt': 'Words.' })
    await service.temporal.client.workflow.getHandle(body.index_id).result()
    await sendSql(
      service.database.db,
      `update document_indexes set state = 'running', finished_at = null, created_at = now() - interval '1 hour' where id = $1`,
      [body.index_id],
    )
    const look = async () => await api.call('GET', `/v1/embed/${body.index_id}`, { key: tenant.key })
    let lost = await look()
    // The list of running workflows may lag behind the end of a run.
    while (lost.body.state === 'running') {
      await reconcileOne(service.deps, 'index')
      lost = await look()
    }
    expect(lost.body).to.include({ state: 'failed', error_code: 'index_failed' })
  })
})

async function zipped(members: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(members)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return await buffer(zip.outputStream)
}

async function docx(text: string): Promise<Buffer> {
  const w = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
  return await zipped({
    '[Content_Types].xml': `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="${w}"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
  })
}

/** A PDF whose user password is not the empty one (revision 2 of the standard security handler; its digests are zeros). */
function encryptedPdf(): string {
  const zeros = `<${'00'.repeat(32)}>`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    `<< /Filter /Standard /V 1 /R 2 /O ${zeros} /U ${zeros} /P -4 >>`,
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<00> <00>] >>`
  return `${text}xref\n0 5\n0000000000 65535 f \n${rows}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`
}
