import { expect } from 'chai'
import { ProviderError } from '../../../../core/gateway/providers/provider-error.ts'
import { Breakers } from '../../../../core/gateway/routing/breakers.ts'

const PATH = { provider: 'openai', baseUrl: 'https://api.example', apiKey: 'one' }
const OTHER_KEY = { ...PATH, apiKey: 'two' }
const DOWN = new ProviderError('overloaded', 'down', { status: 503 })
const REFUSED = new ProviderError('auth', 'who are you', { status: 401 })

describe('circuit breakers', () => {
  let now = 0
  const given = () => {
    now = 0
    return new Breakers(() => now)
  }

  it('open after five failures in a row, for every key of the server, and try again after ten seconds', () => {
    const breakers = given()
    for (let i = 0; i < 5; i++) {
      expect(breakers.admits(PATH)).to.equal(true)
      breakers.failed(PATH, DOWN)
    }
    expect([breakers.admits(PATH), breakers.admits(OTHER_KEY)]).to.deep.equal([false, false])
    now = 10_000
    // Two calls try, and the next waits for them.
    expect([breakers.admits(PATH), breakers.admits(OTHER_KEY), breakers.admits(PATH)]).to.deep.equal([
      true,
      true,
      false,
    ])
    breakers.succeeded(PATH)
    expect(breakers.admits(PATH)).to.equal(true)
    expect(breakers.server('openai', PATH.baseUrl).state).to.equal('closed')
  })

  it('stay open longer each time that the trial fails, at most two minutes', () => {
    const breakers = given()
    for (let i = 0; i < 5; i++) breakers.failed(PATH, DOWN)
    const pauses: number[] = []
    for (let i = 0; i < 14; i++) {
      const { opensInMs } = breakers.server('openai', PATH.baseUrl)
      pauses.push(opensInMs)
      now += opensInMs
      expect(breakers.admits(PATH)).to.equal(true)
      breakers.failed(PATH, DOWN)
    }
    expect(pauses.slice(0, 3)).to.deep.equal([10_000, 20_000, 30_000])
    expect(Math.max(...pauses)).to.equal(120_000)
  })

  it('open when half of the last calls fail, from twenty calls on', () => {
    const breakers = given()
    for (let i = 0; i < 19; i++) {
      if (i % 2 === 0) breakers.failed(PATH, DOWN)
      else breakers.succeeded(PATH)
    }
    expect(breakers.admits(PATH)).to.equal(true)
    breakers.succeeded(PATH)
    breakers.failed(PATH, DOWN)
    expect(breakers.admits(PATH)).to.equal(false)
  })

  it('keep a refused key to itself', () => {
    const breakers = given()
    expect(breakers.admits(PATH)).to.equal(true)
    breakers.failed(PATH, REFUSED)
    expect(breakers.admits(PATH)).to.equal(false)
    expect(breakers.admits(OTHER_KEY)).to.equal(true)
    expect(breakers.server('openai', PATH.baseUrl).state).to.equal('closed')
  })

  it('wait as long as a provider asks, when that is longer', () => {
    const breakers = given()
    breakers.failed(PATH, new ProviderError('rate_limited', 'slow down', { status: 429, retryAfterS: 45 }))
    now = 44_000
    expect([breakers.admits(PATH), breakers.admits(OTHER_KEY)]).to.deep.equal([false, true])
    now = 45_000
    expect(breakers.admits(PATH)).to.equal(true)
  })

  it('are not moved by what a request itself causes, nor by a caller who leaves', () => {
    const breakers = given()
    for (let i = 0; i < 50; i++) breakers.failed(PATH, new ProviderError('invalid_request', 'no', { status: 400 }))
    // Each answer counted as a success as it came; that its form does not fit the caller says nothing of the server.
    for (let i = 0; i < 50; i++) {
      breakers.succeeded(PATH)
      breakers.failed(PATH, new ProviderError('untranslatable', 'no'))
    }
    expect(breakers.admits(PATH)).to.equal(true)
    breakers.failed(PATH, REFUSED)
    now = 10_000
    for (let i = 0; i < 5; i++) {
      expect(breakers.admits(PATH)).to.equal(true)
      breakers.undecided(PATH)
    }
  })
})
