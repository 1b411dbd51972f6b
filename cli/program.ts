import { Command, CommanderError, Option } from 'commander'
import { resolve } from 'node:path'
import { CODE_LANGUAGES } from '../core/compile/runtime/code/languages.ts'
import { plansWith, type PlanId } from '../core/kernel/tenant/plans.ts'
import { readCliEnvironment } from '../config/cli-environment.ts'
import { findServices } from '../stack/supervisor/record.ts'
import { addAdminCommands } from './billing/admin.ts'
import { addCompileCommand } from './compile/start/compile-command.ts'
import { addArtifactCommands } from './compile/artifacts/commands.ts'
import { addDocumentCommands } from './compile/documents/commands.ts'
import { addExplainCommands } from './compile/explain/commands.ts'
import { addMappingOptions } from './compile/files/mapping-options.ts'
import { addKeyCommands } from './accounts/keys/keys.ts'
import { addGatewayCommands } from './gateway/commands.ts'
import { addModelCommands } from './compile/model/model.ts'
import type { InspectOptions } from './compile/inspect.ts'
import type { RunFlags } from './compile/run/run.ts'
import { addComposeCommand } from './compile/run/compose-command.ts'
import { addFileOptions } from './compile/run/file-options.ts'
import type { ReceiptFlags } from './compile/run/receipt.ts'
import type { VerifyOptions } from './compile/verify/verify.ts'
import { addAuditCommand } from './accounts/audit.ts'
import { addOrgCommands } from './accounts/org.ts'
import { addSessionCommands } from './accounts/sessions.ts'
import { addCaptureCommands } from './gateway/captures/commands.ts'
import { addLearnCommands } from './learn/commands.ts'
import { addCredentialCommand } from './compile/verify/credential-command.ts'
import { addTrainCommand } from './compile/train/train.ts'
import { usageError } from './cli-error.ts'
import { openContext, type CliContext } from './context.ts'
import { parseAmount, wholeNumber } from './number-option.ts'
import { EXIT, EXIT_CODE_HELP } from './exit-codes.ts'
import { openOutput } from './terminal/output.ts'
import { addCloudCommands } from './compile/cloud/commands.ts'
import { addConsoleCommand } from './service/console-command.ts'
import { addCompletionCommand } from './service/completion.ts'

/**
 * Builds the commands of `svc`. A command's module is loaded when it is called, so that the CLI starts quickly.
 * `setExitCode` receives the exit code of a command that ran and reports a negative outcome. With `isJson` a wrong usage
 * prints nothing: its error is reported as JSON by the caller.
 */
function buildProgram(setExitCode: (code: number) => void, { isJson = false } = {}): Command {
  const program = new Command('svc')
    .description('Compile examples into a small, signed, verifiable model archive, and run it.')
    .option('--json', 'print one JSON document in place of text')
    .option('--url <url>', 'the server (SVC_URL; default: of the profile, of this checkout, http://127.0.0.1:8080)')
    .version('0.1.0', '-V, --version')
    .addHelpText('after', EXIT_CODE_HELP)
    .showHelpAfterError('(svc --help, or svc help <command>, shows the usage)')
    .exitOverride()
    .configureOutput(isJson ? { writeErr: () => undefined } : {})

  const context = (): CliContext => {
    const { json = false, url } = program.opts<{ json?: boolean; url?: string }>()
    return openContext({
      output: openOutput(json),
      // oxlint-disable-next-line no-process-env -- the CLI's composition root hands its environment to config
      environment: readCliEnvironment(process.env),
      url,
      findLocalUrl: async () => (await findServices(resolve('.svc')).catch(() => undefined))?.apiUrl,
    })
  }
  program.commandsGroup('Service:')
  addServerCommands(program, context, setExitCode)
  addConsoleCommand(program, context)
  program.commandsGroup('Account:')
  addAccountCommands(program, context)
  addKeyCommands(program, context)
  addSessionCommands(program, context)
  addOrgCommands(program, context)
  addAuditCommand(program, context)
  program.commandsGroup('Compile:')
  addCompileCommands(program, context, setExitCode)
  addCloudCommands(program, context, setExitCode)
  addExplainCommands(program, context, setExitCode)
  program.commandsGroup('Artifacts:')
  addArchiveCommands(program, context, setExitCode)
  addArtifactCommands(program, context)
  addCredentialCommand(program, context, setExitCode)
  program.commandsGroup('Documents and models:')
  addDocumentCommands(program, context, setExitCode)
  addGatewayCommands(program, context, setExitCode)
  program.commandsGroup('On this machine:')
  addModelCommands(program, context)
  addTrainCommand(program, context)
  program.commandsGroup('Captures, data and evaluation:')
  addCaptureCommands(program, context, setExitCode)
  addLearnCommands(program, context, setExitCode)
  program.commandsGroup('Other:')
  addAdminCommands(program, context)
  addCompletionCommand(program)
  return program
}

/**
 * Runs one command of `svc` to its end, with the environment, the folder and the streams of this process.
 * `setExitCode` receives the exit code as soon as it is known. Errors are reported here.
 */
export async function runCommand(args: readonly string[], setExitCode: (code: number) => void): Promise<void> {
  const isJson = args.includes('--json')
  try {
    setExitCode(EXIT.ok)
    await buildProgram(setExitCode, { isJson }).parseAsync(args, { from: 'user' })
  } catch (error) {
    setExitCode(exitCodeOf(error, isJson))
  }
}

function exitCodeOf(error: unknown, isJson: boolean): number {
  if (!(error instanceof CommanderError)) return openOutput(isJson).fail(error).exitCode
  if (error.exitCode === 0) return EXIT.ok
  // Commander has printed the error already, but as text.
  if (isJson) openOutput(true).fail(usageError(usageMessage(error.message)))
  return EXIT.usage
}

/** A command without its subcommand has no message: Commander shows its help. */
function usageMessage(message: string): string {
  return message === '(outputHelp)' ? 'a command is missing: svc --help lists them' : message.replace(/^error: /, '')
}

type MakeContext = () => CliContext

function addServerCommands(program: Command, context: MakeContext, setExitCode: (code: number) => void): void {
  program
    .command('up')
    .description('start Postgres, Temporal, the worker and the API here, until Ctrl-C (npm start)')
    .option('-v, --verbose', 'show the logs of the API and the worker')
    .action(async (options: { verbose?: boolean }) => {
      const { up } = await import('./service/up.ts')
      await up(context(), { isVerbose: options.verbose ?? false })
    })
  program
    .command('doctor')
    .description('check Node, the stack, ports, disk, the server and the key')
    .option('--capability <file>', 'hold this machine against a capability block (.json) or that of an archive (.svc)')
    .action(async ({ capability }: { capability?: string }) => {
      if (capability !== undefined) {
        const { holdCapability } = await import('./service/hold-capability.ts')
        setExitCode(await holdCapability(context(), capability))
        return
      }
      const { doctor } = await import('./service/doctor.ts')
      setExitCode(await doctor(context()))
    })
}

function addAccountCommands(program: Command, context: MakeContext): void {
  program
    .command('signup')
    .description('create an account; its key is stored in the profile')
    .requiredOption('--email <address>', 'your e-mail address')
    .option('--name <name>', 'name of the account')
    .addOption(
      new Option('--plan <plan>', 'plan to start with (svc plans lists them)')
        .choices(plansWith('isSelfServe'))
        .default('free'),
    )
    .option('--force', 'replace the key that the profile already holds')
    .action(async (options: { email: string; name?: string; plan: PlanId; force?: boolean }) => {
      const { signUp } = await import('./accounts/account.ts')
      await signUp(context(), options)
    })
  program
    .command('login')
    .description('store a key in the profile and pin the keys that the server signs with')
    .option('--key <key>', 'the API key (default: read from standard input)')
    .action(async (options: { key?: string }) => {
      const { logIn } = await import('./accounts/account.ts')
      await logIn(context(), options)
    })
  program
    .command('logout')
    .description('remove the key from the profile; the key stays valid, and pinned keys stay pinned')
    .action(async () => {
      const { logOut } = await import('./accounts/account.ts')
      await logOut(context())
    })
  program
    .command('usage')
    .description('show the units used this month, and when the quota resets')
    .option('--period <month>', 'another month: 2026-11')
    .action(async (options: { period?: string }) => {
      const { showUsage } = await import('./service/usage.ts')
      await showUsage(context(), options)
    })
  program
    .command('plans')
    .description('list the plans')
    .action(async () => {
      const { listPlans } = await import('./billing/plans.ts')
      await listPlans(context())
    })
}

function addCompileCommands(program: Command, context: MakeContext, setExitCode: (code: number) => void): void {
  addCompileCommand(program, context, setExitCode)
  program
    .command('jobs')
    .description('list compile jobs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, 200), 20)
    .action(async (options: { limit: number }) => {
      const { listJobs } = await import('./compile/jobs.ts')
      await listJobs(context(), options)
    })
  program
    .command('cancel')
    .description('cancel a job that has not finished')
    .argument('<job>', 'id of the job')
    .action(async (job: string) => {
      const { cancelJob } = await import('./compile/jobs.ts')
      await cancelJob(context(), job)
    })
  program
    .command('watch')
    .description('watch a job until it is done; with --json, a line for each event and a last one for the job')
    .argument('<job>', 'id of the job')
    .action(async (job: string) => {
      const { watch } = await import('./compile/watch.ts')
      setExitCode(await watch(context(), job))
    })
}

function addArchiveCommands(program: Command, context: MakeContext, setExitCode: (code: number) => void): void {
  addComposeCommand(program, context, setExitCode)
  addFileOptions(program.command('run'))
    .description('run a concept, a version or an artifact on the server, or an archive right here')
    .argument('<target>', 'cpt_…, ver_…, cmp_…, cidv1:…, or FILE.svc (needs no server)')
    .argument('[input]', 'text or JSON, as the recipe takes it; - is standard input', '-')
    .addOption(new Option('--text', 'read the input as text').conflicts('jsonInput'))
    .option('--json-input', 'read the input as JSON')
    .option('--lines', 'every line is an input, every answer a line')
    .option('--no-cache', 'compute the answer even if it is cached')
    .option('--bases <dir>', 'folder of base models, for an adapter in FILE.svc (SVC_BASES_DIR; default: bases/)')
    .action(async (target: string, input: string, options: RunFlags) => {
      const { run } = await import('./compile/run/run.ts')
      setExitCode(await run(context(), target, input, options))
    })
  program
    .command('receipt')
    .description('verify the receipt of svc run --csv against its output file, or that of svc eval gate or svc ask')
    .argument('<file>', 'the output file (.csv or .jsonl), or what svc eval gate --out or svc ask --json wrote')
    .option('--receipt <file>', 'the receipt (default: <file>.receipt.json)')
    .option('--row <n>', 'print the inclusion proof of this row, counted from 1', wholeNumber(1, 1_000_000_000))
    .option('--jwks <file>', 'trust the keys of this JWKS in place of the pinned ones')
    .action(async (file: string, options: ReceiptFlags) => {
      const { verifyReceiptFile } = await import('./learn/gates/receipt-file.ts')
      const known = await verifyReceiptFile(context(), file, options)
      const { verifyRows } = await import('./compile/run/receipt.ts')
      setExitCode(known ?? (await verifyRows(context(), file, options)))
    })
  program
    .command('inspect')
    .description('show the content of an archive: recipe, K-score, members')
    .argument('<target>', 'FILE.svc, or an id: job (cmp_…), version (ver_…), concept (cpt_…) or CID (cidv1:…)')
    .addOption(new Option('--as <language>', 'print the recipe as code').choices([...CODE_LANGUAGES]))
    .option('-o, --out <folder>', 'with --as: write the code into this folder')
    .option('-f, --force', 'overwrite existing files without asking')
    .action(async (target: string, options: InspectOptions) => {
      const { inspect } = await import('./compile/inspect.ts')
      setExitCode(await inspect(context(), target, options))
    })
  const verifying = program
    .command('verify')
    .description('verify an archive, or the receipt of a gate or a verified answer, offline against the pinned keys')
    .argument('<file>', 'FILE.svc, or what svc eval gate --out or svc ask --verified --json wrote')
    .option('--jwks <file>', 'trust the keys of this JWKS in place of the pinned ones')
    .option(
      '--recompute',
      'repeat search, training, folds and scoring from the rows, and compare; takes as long as the compile',
    )
    .option(
      '--rows <file>',
      'the rows of the compile, where the archive holds digests; the options of columns are those of svc compile',
    )
    .option('--revocations <file>', 'refuse an archive that this list names, see svc artifacts revocations')
    .option('--within <seconds>', 'stop the recomputation after so long (default: no limit)', parseAmount)
    .option('--bases <dir>', 'folder of base models, to recompute an adapter (SVC_BASES_DIR; default: bases/)')
  addMappingOptions(verifying).action(async (file: string, options: VerifyOptions) => {
    const { verifyReceiptFile } = await import('./learn/gates/receipt-file.ts')
    const known = await verifyReceiptFile(context(), file, options)
    const { verify } = await import('./compile/verify/verify.ts')
    setExitCode(known ?? (await verify(context(), file, options)))
  })
  program
    .command('download')
    .description('download an archive')
    .argument('<id>', 'job (cmp_…), version (ver_…), concept (cpt_…) or CID (cidv1:…)')
    .option('-o, --output <file>', 'where to (default: <job>.svc)')
    .option('-f, --force', 'overwrite an existing file without asking')
    .action(async (job: string, options: { output?: string; force?: boolean }) => {
      const { download } = await import('./compile/files/download.ts')
      await download(context(), job, options)
    })
}
