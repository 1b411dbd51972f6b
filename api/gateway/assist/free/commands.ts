import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { GATEWAY_PROVIDERS } from '../../../../core/gateway/calls/providers.ts'
import { PLAN_IDS, PLANS } from '../../../../core/kernel/tenant/plans.ts'
import { LIBRARY_VERSION, RUNTIME_VERSION } from '../../../../core/kernel/version.ts'
import { quotaStatus } from '../../../../db/billing/quota/status.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import { loadGateway } from '../../gateway-module.ts'
import type { GatewayServices } from '../../services.ts'
import { answerQuestion } from '../assistant/answer-question.ts'
import type { Asker } from '../assistant/ask-model.ts'
import { refused, type CommandLine } from './command-line.ts'

/** The caller that runs a command. */
export type CommandCaller = Omit<Asker, 'principal'> & {
  readonly principal: Principal | undefined
  readonly op: Operation | undefined
}

/** The output of a command, and its exit code. */
export interface CommandResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** A command that is answered in this process, from what the service knows. */
interface FreeCommand {
  readonly verbs: readonly [string, ...string[]]
  /** Words that may follow; null for a text. */
  readonly subverbs: readonly string[] | null
  readonly usage: string
  readonly summary: string
  readonly run: (caller: CommandCaller, args: readonly string[]) => Promise<CommandResult> | CommandResult
}

/** As `cli/exit-codes.ts` has it. */
const EXIT_WITHOUT_KEY = 6

const COMMANDS: readonly FreeCommand[] = [
  {
    verbs: ['version', '--version', '-V', '-v'],
    subverbs: [],
    usage: 'svc version',
    summary: 'the versions of the library and of the recipe runtime',
    run: () => written(`${LIBRARY_VERSION} (${RUNTIME_VERSION})`),
  },
  {
    verbs: ['help', '--help', '-h', 'verbs'],
    subverbs: [],
    usage: 'svc help',
    summary: 'the commands that are answered here',
    run: () => written(table(COMMANDS.map(({ usage, summary }) => [usage, summary]))),
  },
  {
    verbs: ['whoami'],
    subverbs: [],
    usage: 'svc whoami',
    summary: 'who calls: the tenant and the plan of the key',
    run: ({ principal }) => whoAmI(principal),
  },
  {
    verbs: ['usage'],
    subverbs: [],
    usage: 'svc usage',
    summary: 'units used this month, and when the quota resets; with a key',
    run: async (caller) => await showUsage(caller),
  },
  {
    verbs: ['doctor'],
    subverbs: [],
    usage: 'svc doctor',
    summary: 'whether the parts of this service answer',
    run: async ({ services }) => await examine(services),
  },
  {
    verbs: ['plans'],
    subverbs: [],
    usage: 'svc plans',
    summary: 'the published plans',
    run: () =>
      written(
        table([
          ['plan', 'name', 'USD/month', 'units/month', 'seats'],
          ...PLAN_IDS.map((id) => {
            const { label, priceUsdMonth, quota, seats } = PLANS[id]
            return [id, label, String(priceUsdMonth), quota.toLocaleString('en-US'), String(seats)]
          }),
        ]),
      ),
  },
  {
    verbs: ['gateway'],
    subverbs: ['providers', '--help'],
    usage: 'svc gateway providers',
    summary: 'the providers of models and what they speak',
    run: (_caller, [subverb]) =>
      subverb === '--help'
        ? written('svc gateway providers')
        : written(
            table([
              ['provider', 'name', 'speaks'],
              ...GATEWAY_PROVIDERS.map(({ id, label, speaks }) => [id, label, speaks.map(([name]) => name).join(', ')]),
            ]),
          ),
  },
  {
    verbs: ['docs'],
    subverbs: null,
    usage: 'svc docs "QUESTION"',
    summary: 'sentences of the documentation that answer a question, with their pages',
    run: async (caller, args) => await askDocs(caller, args.join(' ')),
  },
]

/** Returns the accepted verbs, the words that may follow, and the form of commands. */
export function describeCommands() {
  return {
    verbs: COMMANDS.flatMap(({ verbs }) => verbs).toSorted(),
    subverbs: Object.fromEntries(
      COMMANDS.flatMap(({ verbs, subverbs }) =>
        subverbs === null || subverbs.length === 0 ? [] : [[verbs[0], subverbs.toSorted()]],
      ),
    ),
    commands: COMMANDS.map(({ usage, summary }) => ({ usage, summary })),
  }
}

/**
 * Runs a command of the table: no shell, no process, nothing that changes anything. Throws `verb_not_allowed`,
 * `subverb_not_allowed` and `arg_rejected`.
 */
export async function runCommand({ verb, args }: CommandLine, caller: CommandCaller): Promise<CommandResult> {
  const command = COMMANDS.find(({ verbs }) => verbs.includes(verb))
  if (command === undefined) {
    throw refused(
      `${JSON.stringify(verb)} is not answered here; svc help lists what is`,
      GATEWAY_ERRORS.verb_not_allowed,
    )
  }
  const { subverbs, usage } = command
  if (subverbs === null) {
    if (args.join(' ').trim() === '') throw refused(`asks nothing: ${usage}`, GATEWAY_ERRORS.arg_rejected)
  } else {
    const [subverb, ...rest] = args
    if (subverb !== undefined && !subverbs.includes(subverb)) {
      throw refused(`${JSON.stringify(subverb)} does not follow ${verb}: ${usage}`, GATEWAY_ERRORS.subverb_not_allowed)
    }
    if (rest.length > 0) throw refused(`has too many words: ${usage}`, GATEWAY_ERRORS.arg_rejected)
  }
  return await command.run(caller, args)
}

function whoAmI(principal: Principal | undefined): CommandResult {
  if (principal === undefined) return written('no key: the call is anonymous')
  const { tenantId, plan, kind, scopes } = principal
  return written(
    table([
      ['tenant', tenantId],
      ['plan', plan],
      ['key', kind],
      ['scopes', scopes.join(' ')],
    ]),
  )
}

async function showUsage({ services, principal, op }: CommandCaller): Promise<CommandResult> {
  if (principal === undefined || op === undefined) {
    return { stdout: '', stderr: 'svc: this needs a key\n', exitCode: EXIT_WITHOUT_KEY }
  }
  const { used, quota, resetsAt } = await quotaStatus(op, { ...principal, limits: services.limits })
  return written(
    table([
      ['plan', principal.plan],
      ['used', `${used.toLocaleString('en-US')} of ${quota.toLocaleString('en-US')} units`],
      ['resets', resetsAt.toISOString()],
    ]),
  )
}

async function examine(services: GatewayServices): Promise<CommandResult> {
  const { isLoaded, dialects } = await loadGateway()
  const { passages } = await services.handbook.index()
  const { isLow } = services.storage.room()
  const isFine = isLoaded && !isLow
  const stdout = table([
    ['library', LIBRARY_VERSION],
    ['gateway', isLoaded ? `speaks ${dialects.join(', ')}` : 'cannot be loaded'],
    ['storage', isLow ? 'low: nothing new is stored' : 'has room'],
    ['documentation', `${passages.length} sections`],
  ])
  return { stdout, stderr: isFine ? '' : 'svc: a part of this service does not work\n', exitCode: isFine ? 0 : 1 }
}

async function askDocs(caller: CommandCaller, question: string): Promise<CommandResult> {
  const { text, isKnown, sources } = await answerQuestion(
    { ...caller, principal: undefined },
    { question, before: null, pages: null, system: undefined, conversation: [], maxTokens: 1, model: undefined },
  )
  if (!isKnown) return { stdout: '', stderr: `${text}\n`, exitCode: 1 }
  const pages = sources.map(
    ({ n, title, heading, url }) => `[${n}] ${title}: ${heading}${url === null ? '' : ` ${url}`}`,
  )
  return written(`${text}\n\n${pages.join('\n')}`)
}

function written(text: string): CommandResult {
  return { stdout: text === '' || text.endsWith('\n') ? text : `${text}\n`, stderr: '', exitCode: 0 }
}

/** Rows in columns, as the command line writes them. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return `${rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`
}
