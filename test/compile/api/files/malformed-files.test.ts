import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { previewFile, sendFile } from '../../../support/wire/files.ts'
import { MALFORMED_TEXTS } from '../../../support/wire/malformed/texts.ts'
import { MALFORMED_BOOKS } from '../../../support/wire/malformed/workbooks.ts'
import { MULTIPART } from '../../../support/wire/multipart.ts'

const MB = 1024 * 1024
const FILES = [...MALFORMED_TEXTS, ...MALFORMED_BOOKS]

describe('a malformed file', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { previews_per_ip_minute: 1000 },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  it('is tried in more than forty kinds', () => {
    expect(FILES.length).to.be.above(40)
  })

  for (const { what, name = 'rows.csv', bytes, mapping, code = 'validation_failed', place, remedy } of FILES) {
    it(`is refused with place and remedy: ${what}`, async () => {
      const file = {
        name,
        bytes: typeof bytes === 'function' ? await bytes() : bytes,
        ...(mapping !== undefined && { mapping }),
      }
      const answer = await sendFile(api, tenant.key, file)
      expect(answer.body.code, answer.text).to.equal(code)
      expect(answer.status).to.be.within(400, 415)
      expect(answer.body.error).to.match(place).and.to.match(remedy)
      expect(answer.body.details.fields[0].message).to.be.a('string')
      const shown = await previewFile(api, tenant.key, file)
      expect(shown.status, shown.text).to.be.below(500)
      if (shown.status === 200) {
        expect(shown.body.table.problems, what).not.to.deep.equal([])
      }
      expect(api.server.services.spool.heldBytes()).to.equal(0)
    })
  }

  it('with 1,000,001 rows is refused at the row that is too many', async () => {
    const rows = Array.from({ length: 1_000_001 }, (_, i) => `${i},${i}\n`).join('')
    const answer = await sendFile(api, tenant.key, { name: 'rows.csv', bytes: `n,m\n${rows}` })
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, 'too_many_examples'])
    expect(answer.body.error).to.match(/^line\[1000002\]: more than 1000000 rows; .*keep the first 1000000/)
  })

  it('with a line of 1 GiB is refused after the first part of it', async () => {
    const piece = new Uint8Array(MB).fill(0x61)
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        if (sent === 0) {
          const head = `--X\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\na,b\n1,2\n`
          controller.enqueue(new TextEncoder().encode(head))
        }
        if (++sent > 1024) controller.close()
        else controller.enqueue(piece)
      },
    })
    const answer = await fetch(`${api.url}/v1/compile`, {
      method: 'POST',
      headers: { ...MULTIPART, 'x-api-key': tenant.key },
      body,
      duplex: 'half',
    }).then(
      async (response) => [response.status, await response.text()] as const,
      () => undefined,
    )
    expect(sent).to.be.below(200)
    if (answer !== undefined) {
      expect(answer[0], answer[1]).to.equal(400)
      expect(answer[1]).to.match(/line\[3\]: is longer than \d+ bytes; check the line ends/)
    }
  })

  it('with 200 columns is no malformed file', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `c${i}`)
    const rows = [1, 2, 3].map((row) => names.map((_, i) => row * i).join(','))
    const answer = await sendFile(api, tenant.key, { name: 'rows.csv', bytes: [names.join(','), ...rows].join('\n') })
    expect(answer.status, answer.text).to.equal(202)
  })
})
