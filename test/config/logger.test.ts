import { expect } from 'chai'
import { createLogger } from '../../config/logger.ts'

function linesOf(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  write(createLogger({ name: 'test', level: 'debug', destination }))
  return lines.join('')
}

describe('logger', () => {
  it('writes one JSON object per line with level, name and time', () => {
    const [line = '', rest] = linesOf((log) => log.info({ jobId: 'cmp_1' }, 'a line')).split('\n')
    const record: unknown = JSON.parse(line)
    expect(record).to.include({ level: 'info', name: 'test', jobId: 'cmp_1', msg: 'a line' })
    expect(record)
      .to.have.property('time')
      .that.matches(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(rest).to.equal('')
  })

  it('hides keys, cookies, secrets and what customers send, at every place they stand', () => {
    const hidden = 'hide-me'
    const text = linesOf((log) => {
      log.info({ apiKey: hidden, api_key: hidden, task: hidden, input: { deep: hidden } }, 'top')
      log.info(
        { headers: { authorization: hidden, cookie: hidden, 'set-cookie': hidden, 'x-api-key': hidden } },
        'one down',
      )
      log.info({ req: { body: { examples: hidden, secret: hidden, password: hidden } } }, 'two down')
    })
    expect(text).to.not.include(hidden)
    expect(text.match(/\[redacted\]/g)).to.have.length.greaterThan(8)
  })

  it('cuts keys and passwords out of messages and errors, causes included', () => {
    const key = `ks_${'a'.repeat(8)}_${'b'.repeat(26)}`
    const cause = Object.assign(new Error(`refused postgres://svc:hunter2@db/svc`), { parameters: ['hunter2'] })
    const text = linesOf((log) => {
      log.warn(`called with ${key} and ${key.replace('ks', 'kao')}`)
      log.error({ err: new Error(`bad key ${key}`, { cause }) }, `with ${key}`)
    })
    expect(text).to.not.include('bbbb').and.not.include('hunter2')
    expect(text).to.include('ks_aaaa…').and.include('kao_aaaa…').and.include('postgres://svc:…@db/svc')
  })
})
