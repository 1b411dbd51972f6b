import { hash } from 'node:crypto'
import type { ProviderError } from '../providers/provider-error.ts'
import { Breaker, KEY_BREAKER, SERVER_BREAKER, type BreakerPolicy, type BreakerView } from './breaker.ts'

/** The two breakers that a call passes. */
export interface CallPath {
  readonly provider: string
  readonly baseUrl: string
  readonly apiKey: string
}

/** A breaker of a server, for people. */
export interface ServerView extends BreakerView {
  readonly provider: string
}

/** Breakers that are remembered; the one that was used longest ago goes. */
const MOST_BREAKERS = 10_000

/**
 * The circuit breakers of this process: one for each server, which its outages open, and one for each key at a provider,
 * which its refusal opens. So a refused key moves the traffic of its own callers, and an outage that of all.
 */
export class Breakers {
  readonly #held = new Map<string, Breaker>()
  readonly #now: () => number

  /** `now` reads a monotonic clock, milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Returns true when neither breaker of the path keeps calls back. */
  admits(path: CallPath): boolean {
    const now = this.#now()
    const server = this.#server(path)
    if (!server.admits(now)) return false
    if (this.#key(path).admits(now)) return true
    server.undecided()
    return false
  }

  /** Records that the path was answered. */
  succeeded(path: CallPath): void {
    this.#server(path).succeeded()
    this.#key(path).succeeded()
  }

  /** Records a failure with the breaker that it is about. What the request itself caused is about neither. */
  failed(path: CallPath, { failure, status, retryAfterS = 0 }: ProviderError): void {
    const now = this.#now()
    const waitMs = retryAfterS * 1000
    switch (failure) {
      case 'overloaded':
      case 'timeout':
      case 'connection':
      case 'interrupted':
      case 'invalid_response': {
        this.#server(path).failed(now, waitMs)
        this.#key(path).undecided()
        break
      }
      case 'auth':
      case 'rate_limited': {
        // The server works: it answered.
        this.#server(path).succeeded()
        if (failure === 'auth' || retryAfterS > 0) this.#key(path).failed(now, waitMs)
        else this.#key(path).undecided()
        break
      }
      case 'invalid_request':
      case 'refused': {
        if (status === undefined) this.undecided(path)
        else this.succeeded(path)
        break
      }
      case 'untranslatable': {
        this.undecided(path)
        break
      }
    }
  }

  /** Records that a call ended without telling anything of its path. */
  undecided(path: CallPath): void {
    this.#server(path).undecided()
    this.#key(path).undecided()
  }

  /** The breaker of a server. */
  server(provider: string, baseUrl: string): ServerView {
    return { provider, ...this.#server({ provider, baseUrl, apiKey: '' }).view(this.#now()) }
  }

  #server({ provider, baseUrl }: CallPath): Breaker {
    return this.#get(`server ${provider} ${baseUrl}`, SERVER_BREAKER)
  }

  #key({ provider, apiKey }: CallPath): Breaker {
    // A digest: memory dumps hold no further copy of the key.
    return this.#get(`key ${provider} ${hash('sha256', apiKey, 'base64')}`, KEY_BREAKER)
  }

  #get(name: string, policy: BreakerPolicy): Breaker {
    const breaker = this.#held.get(name) ?? new Breaker(policy)
    this.#held.delete(name)
    this.#held.set(name, breaker)
    if (this.#held.size > MOST_BREAKERS) {
      const [oldest] = this.#held.keys()
      if (oldest !== undefined) this.#held.delete(oldest)
    }
    return breaker
  }
}
