import type { Random } from '../../core/model/random.ts'
import { between, digits, happens, oneOf, two } from '../small-sets/drawn-task.ts'
import { FIRMS, ITEMS } from '../small-sets/words.ts'
import { clock, contact, type Document, documentTask, hex, ip, isoDay, sentence, some } from './document-task.ts'

const METHODS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'] as const
const AGENTS = ['Mozilla/5.0 (X11; Linux x86_64)', 'curl/8.4.0', 'Go-http-client/2.0', 'okhttp/4.9.3'] as const
const STATUSES = [200, 200, 200, 200, 200, 301, 304, 404, 500] as const

interface Access {
  readonly ip: string
  readonly path: string
  readonly status: number
}

function accessLog(random: Random): Document<readonly Access[]> {
  const day = `${two(between(random, 1, 28))}/Mar/${between(random, 2020, 2025)}`
  const facts: Access[] = []
  const lines = some(random, 120, 2800, () => {
    const status = oneOf(random, STATUSES)
    const path = `/${oneOf(random, ITEMS)}/${between(random, 1, 900)}${happens(random, 30) ? '?page=2' : ''}`
    const entry = { ip: ip(random), path, status }
    facts.push(entry)
    return `${entry.ip} - - [${day}:${clock(random)} +0000] "${oneOf(random, METHODS)} ${path} HTTP/1.1" ${status} ${between(random, 100, 90_000)} "-" "${oneOf(random, AGENTS)}"`
  })
  return { text: `${lines.join('\n')}\n`, facts }
}

interface Build {
  readonly version: string
  readonly commit: string
  readonly seconds: string
  readonly result: string
  readonly artifact: string
  readonly failed: readonly string[]
}

function buildLog(random: Random): Document<Build> {
  const version = `${between(random, 1, 9)}.${between(random, 0, 30)}.${between(random, 0, 12)}`
  const commit = hex(random, 12)
  const broken = some(random, 0, 9, (at) => `test/${oneOf(random, ITEMS)}/${oneOf(random, ITEMS)}-${at}.test.ts`)
  const result = broken.length === 0 ? 'SUCCESS' : oneOf(random, ['FAILURE', 'UNSTABLE'])
  const seconds = `${between(random, 20, 900)}.${between(random, 0, 9)}`
  const artifact = `s3://builds/${oneOf(random, FIRMS)}/${version}-${digits(random, 4)}.tgz`
  const lines: string[] = [
    `[${clock(random)}] runner ${oneOf(random, FIRMS)}-${between(random, 1, 40)} ready`,
    `[${clock(random)}] Checking out commit ${commit} of branch release/${version}`,
  ]
  for (let at = between(random, 90, 1200); at > 0; at--)
    lines.push(
      oneOf(random, [
        `[${clock(random)}] compile src/${oneOf(random, ITEMS)}/${oneOf(random, ITEMS)}.ts (${between(random, 3, 900)} ms)`,
        `[${clock(random)}] PASS test/${oneOf(random, ITEMS)}/${oneOf(random, ITEMS)}.test.ts (${between(random, 3, 900)} ms)`,
        `[${clock(random)}] warning: ${sentence(random)}`,
        `[${clock(random)}] cache ${hex(random, 8)} hit`,
      ]),
    )
  for (const name of broken)
    lines.splice(between(random, 3, lines.length), 0, `[${clock(random)}] FAIL ${name} (${between(random, 3, 900)} ms)`)
  lines.push(
    `[${clock(random)}] Building version ${version}`,
    `[${clock(random)}] Uploaded ${artifact} (${between(random, 100, 9000)} kB)`,
    `[${clock(random)}] Finished: ${result} in ${seconds} s`,
  )
  const failed = lines.flatMap((line) => / FAIL (\S+)/.exec(line)?.[1] ?? [])
  return { text: lines.join('\n'), facts: { version, commit, seconds, result, artifact, failed } }
}

interface Attempt {
  readonly user: string
  readonly ip: string
  readonly port: number
}

function authLog(random: Random): Document<readonly Attempt[]> {
  const host = `${oneOf(random, FIRMS)}-${between(random, 1, 9)}`
  const facts: Attempt[] = []
  const lines = some(random, 200, 1500, () => {
    const head = `Mar ${String(between(random, 1, 28)).padStart(2)} ${clock(random)} ${host} `
    if (!happens(random, 4))
      return (
        head +
        oneOf(random, [
          `CRON[${digits(random, 4)}]: pam_unix(cron:session): session opened for user root`,
          `sshd[${digits(random, 5)}]: Accepted publickey for ${contact(random).first.toLowerCase()} from ${ip(random)} port ${digits(random, 5)} ssh2`,
          `systemd[1]: Started Session ${digits(random, 3)} of user ${contact(random).first.toLowerCase()}.`,
          `kernel: [${digits(random, 5)}.${digits(random, 6)}] eth0: link is up`,
        ])
      )
    const attempt = {
      user: contact(random).first.toLowerCase(),
      ip: ip(random),
      port: between(random, 1025, 65_000),
    }
    facts.push(attempt)
    return `${head}sshd[${digits(random, 5)}]: Failed password for ${attempt.user} from ${attempt.ip} port ${attempt.port} ssh2`
  })
  return { text: lines.join('\n'), facts }
}

interface Crashes {
  readonly service: string
  readonly messages: readonly string[]
  readonly last: string
}

const CLASSES = ['TimeoutError', 'KeyError', 'IOError', 'ValueError'] as const

function applicationLog(random: Random): Document<Crashes> {
  const service = `${oneOf(random, FIRMS)}-${oneOf(random, ITEMS)}`
  const messages: string[] = []
  let last = ''
  const lines = [`service ${service} started with pid ${digits(random, 5)}`]
  for (let at = between(random, 150, 1200); at > 0; at--) {
    const stamp = `${isoDay(random)}T${clock(random)}Z`
    if (happens(random, 3) || (at < 30 && messages.length < 2)) {
      last = stamp
      const message = `${oneOf(random, ITEMS)} ${digits(random, 4)} did not answer (${oneOf(random, ['a', 'b', 'c'])})`
      messages.push(message)
      lines.push(`${stamp} ERROR [worker-${between(random, 1, 9)}] ${message}`)
      lines.push(`Traceback (most recent call last):`)
      for (let depth = between(random, 1, 5); depth > 0; depth--)
        lines.push(`  File "/srv/${service}/${oneOf(random, ITEMS)}.py", line ${between(random, 1, 400)}, in run`)
      lines.push(`${oneOf(random, CLASSES)}: ${sentence(random)}`)
    } else
      lines.push(
        `${stamp} ${oneOf(random, ['INFO', 'INFO', 'DEBUG', 'WARN'])} [worker-${between(random, 1, 9)}] ${sentence(random)}`,
      )
  }
  return { text: `${lines.join('\n')}\n`, facts: { service, messages, last } }
}

/** Facts out of log files. */
export const LOGS = [
  documentTask('logs', 'callers of requests that failed', accessLog, (entries) =>
    entries.filter(({ status }) => status === 500).map((entry) => entry.ip),
  ),
  documentTask('logs', 'commit of a build', buildLog, ({ commit }) => commit),
  documentTask('logs', 'summary of a build', buildLog, ({ version, seconds, result, artifact }) => ({
    version,
    seconds,
    result,
    artifact,
  })),
  documentTask('logs', 'files with failed tests', buildLog, ({ failed }) => failed),
  documentTask('logs', 'failed sign-ins', authLog, (attempts) =>
    attempts.map((attempt) => ({ user: attempt.user, ip: attempt.ip })),
  ),
  documentTask('logs', 'messages of errors', applicationLog, ({ messages }) => messages),
  documentTask('logs', 'time of the last error', applicationLog, ({ last }) => last),
]
