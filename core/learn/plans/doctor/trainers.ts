import { OBJECTIVES } from '../../../model/training/objectives/objective.ts'
import { LIBRARY_VERSION } from '../../../kernel/version.ts'

/** A trainer that listens, as it announces itself. */
export interface Trainer {
  readonly kind: 'embedded' | 'peft'
  readonly versions: Readonly<Record<string, string>>
  /** Null for a trainer that does not say. */
  readonly device: string | null
  readonly objectives: readonly string[]
  /** The host that it runs on; null for a trainer that does not say. */
  readonly host: string | null
  readonly lastHeard: Date
}

/** A worker that listens on the queue of a trainer. */
export interface Listener {
  readonly identity: string
  readonly lastHeard: Date
}

const MOST_TOKENS = 16
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$/
const NAME = /^[a-z][a-z0-9_-]{0,31}$/

/** Returns the embedded trainer of a worker that serves the queue of fits: it is a part of every worker. */
export function embeddedTrainer({ lastHeard }: Listener): Trainer {
  return {
    kind: 'embedded',
    versions: { svc: LIBRARY_VERSION },
    device: 'cpu',
    objectives: OBJECTIVES,
    host: null,
    lastHeard,
  }
}

/**
 * Reads the identity of a worker of the Python trainer: `trainer@host:pid`, then `name/version` tokens, `device/…` and
 * `objectives/…,…` (`workers/trainer/svc_trainer/announce.py`). A trainer of an earlier version announces nothing.
 */
export function readAnnouncement({ identity, lastHeard }: Listener): Trainer {
  const [who = '', ...tokens] = identity.split(' ').slice(0, MOST_TOKENS)
  const said = new Map(
    tokens.flatMap((token) => {
      const at = token.indexOf('/')
      const name = token.slice(0, at)
      return at > 0 && NAME.test(name) ? [[name, token.slice(at + 1)] as const] : []
    }),
  )
  const device = said.get('device')
  const objectives = (said.get('objectives') ?? '').split(',').filter((name) => NAME.test(name))
  said.delete('device')
  said.delete('objectives')
  return {
    kind: 'peft',
    versions: Object.fromEntries([...said].filter(([, version]) => VERSION.test(version))),
    device: device !== undefined && NAME.test(device) ? device : null,
    objectives,
    host: /^trainer@(.+):\d+$/.exec(who)?.[1] ?? null,
    lastHeard,
  }
}
