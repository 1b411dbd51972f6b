import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { sendSql } from '../../../support/db/send-sql.ts'

const SPEC = '{"task":"Write it in capitals","mode":"async"}'
const LINES = Array.from({ length: 4 }, (_, i) => `{"input":"in ${i}","output":"OUT ${i}"}\n`).join('')

/** A multipart body with the boundary X. */
function multipart(parts: readonly (readonly [head: string, body: string | Uint8Array])[], end = '--X--\r\n') {
  const pieces = parts.flatMap(([head, body]) => [
    Buffer.from(`--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from(end)]))
}

const spec = (body: string | Uint8Array = SPEC) => ['name="spec"', body] as const
const file = (body: string | Uint8Array = LINES, name = 'rows.jsonl') =>
  [`name="file"; filename="${name}"`, body] as const

describe('uploads', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), limits: { upload_bytes: 1024 * 1024 } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const send = async (raw: Uint8Array<ArrayBuffer>): Promise<Answer> =>
    await api.call('POST', '/v1/compile', {
      key: tenant.key,
      raw,
      headers: { 'content-type': 'multipart/form-data; boundary=X' },
    })
  const problemOf = ({ status, body, text }: Answer): unknown[] => {
    expect(body.details, text).to.have.property('fields')
    return [status, body.code, body.details.fields[0].field]
  }
  const unfinished = async () => {
    const [row] = await sendSql<{ uploads: number; chunks: number }>(
      database.db,
      `select (select count(*) from blob_uploads) as uploads,
         (select count(*) from blob_chunks c where not exists (select 1 from blobs b where b.storage_id = c.storage_id)) as chunks`,
    )
    return row
  }

  it('that end early, at any byte, are refused and leave nothing behind', async () => {
    const whole = multipart([spec(), file()])
    const short = multipart([spec(), file()], '')
    for (const raw of [short, whole.slice(0, -30), whole.slice(0, 130), whole.slice(0, 60), multipart([file()], '')]) {
      expect(problemOf(await send(raw))).to.deep.equal([400, 'validation_failed', 'body'])
    }
    expect(await unfinished()).to.deep.equal({ uploads: 0, chunks: 0 })
    expect((await send(whole)).status).to.equal(202)
  })

  it('that their caller abandons leave nothing behind', async () => {
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    const head = `POST /v1/compile HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.key}\r\nContent-Length: 900000\r\nContent-Type: multipart/form-data; boundary=X\r\n\r\n`
    const rows = Array.from({ length: 9000 }, (_, i) => `{"input":"in ${i}","output":"a longer output ${i}"}\n`).join(
      '',
    )
    socket.write(head)
    socket.write(multipart([spec(), file(rows)], ''))
    const { spool } = api.server.services
    while (spool.heldBytes() === 0) await sleep(10)
    socket.destroy()
    while (spool.heldBytes() > 0) await sleep(10)
    expect(await unfinished()).to.deep.equal({ uploads: 0, chunks: 0 })
  })

  const latin = Buffer.from('{"task":"caf\xe9"}', 'latin1')
  for (const [what, parts, expected] of [
    [
      'a row that names a member twice',
      [spec(), file('{"input":1,"input":2,"output":3}\n')],
      ['invalid_json', 'line[1].input'],
    ],
    [
      'a row with a member __proto__',
      [spec(), file('{"input":{"__proto__":1},"output":3}\n')],
      ['validation_failed', 'line[1].input'],
    ],
    [
      'a row with a rounded integer',
      [spec(), file('{"input":{"n":[12345678901234567890]},"output":3}\n')],
      ['validation_failed', 'line[1].input.n[0]'],
    ],
    ['a column __proto__', [spec(), file('__proto__,output\n1,2\n', 'rows.csv')], ['validation_failed', 'header']],
    ['a spec that is not UTF-8', [spec(latin), file()], ['invalid_encoding', 'spec']],
    ['a spec that is not JSON', [spec('{"task":'), file()], ['invalid_json', 'spec']],
    ['a spec that names a member twice', [spec('{"task":"a","task":"b"}'), file()], ['invalid_json', 'spec.task']],
    [
      'a spec with a wrong field',
      [spec('{"task":"a","k_score_floor":"high"}'), file()],
      ['validation_failed', 'spec.k_score_floor'],
    ],
    ['a spec with examples', [spec('{"task":"a","examples":[]}'), file()], ['validation_failed', 'spec.examples']],
    ['two specs', [spec(), spec(), file()], ['validation_failed', 'spec']],
  ] as const) {
    it(`${what} is refused, and the field is named`, async () => {
      expect(problemOf(await send(multipart(parts)))).to.deep.equal([400, ...expected])
      expect(await unfinished()).to.deep.equal({ uploads: 0, chunks: 0 })
    })
  }

  it('of lines with members of other names are read as a table, wherever the spec stands', async () => {
    const rows = Array.from({ length: 4 }, (_, i) => `{"text":"in ${i}","label":"OUT ${i}"}\n`).join('')
    for (const parts of [
      [spec(), file(rows)],
      [file(rows), spec()],
    ]) {
      const answer = await send(multipart(parts))
      expect(answer.status, answer.text).to.equal(202)
    }
  })

  it('that are too large are refused, by what they announce before anything is sent', async () => {
    const large = await send(multipart([spec(), file(LINES.repeat(9000))]))
    expect(problemOf(large)).to.deep.equal([413, 'payload_too_large', 'file'])
    const { hostname, port } = new URL(api.url)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /v1/compile HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.key}\r\nContent-Length: 3000000000\r\nContent-Type: multipart/form-data; boundary=X\r\n\r\n`,
        )
      })
      socket.once('data', (data) => {
        socket.destroy()
        resolve(data.toString())
      })
      socket.once('error', reject)
    })
    expect(answer).to.match(/^HTTP\/1.1 413 /)
  })
})
