import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { AskFlags } from './ask.ts'
import type { EmbedFlags } from './embed.ts'
import type { RecallFlags } from './recall.ts'

/** `svc embed`, `svc recall` and `svc ask`: documents of a namespace, and models that they ground. */
export function addDocumentCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  program
    .command('embed')
    .description('index files into a namespace, so that svc recall finds their parts')
    .argument('<files...>', 'text, Markdown, code, HTML, PDF and office files')
    .requiredOption('-n, --namespace <name>', 'the namespace')
    .option('--server', 'the files are absolute paths in your workspace on the server')
    .option('--model <name>', "a provider's model of embeddings, such as text-embedding-3-small")
    .option('-f, --force', 'read unchanged files again')
    .action(async (files: string[], flags: EmbedFlags) => {
      const { embed } = await import('./embed.ts')
      setExitCode(await embed(context(), files, flags))
    })
  program
    .command('recall')
    .description('find the parts of documents that a question is about')
    .argument('<question>', 'in words')
    .requiredOption('-n, --namespace <name>', 'the namespace')
    .option('-k <n>', 'most parts to show, up to 100', wholeNumber(1, 100), 5)
    .action(async (question: string, flags: RecallFlags) => {
      const { recall } = await import('./recall.ts')
      await recall(context(), question, flags)
    })
  program
    .command('ask')
    .description('ask a model of a provider; with --verified, sample until an answer verifies')
    .argument('<model>', 'such as claude-haiku-4-5, or provider:model')
    .argument('<question>', 'the question')
    .option('--verified', 'take samples until one passes the test; exit code 1 when none does')
    .option('--expect <json>', 'with --verified: the right answer, or the output of the judge for one')
    .option('--case <json...>', 'with --verified: test cases [input, expected] for a program that the model writes')
    .option('--judge <id>', 'with --verified: a concept (cpt_…), artifact (cmp_…) or version (ver_…) that judges')
    .option('-k <n>', 'with --verified: most samples, up to 64', wholeNumber(1, 64), 4)
    .option('-s, --system <text>', 'the system text')
    .option('--max-tokens <n>', 'tokens of an answer', wholeNumber(1, 1_000_000), 1024)
    .option('-n, --namespace <name>', 'of the call; with --verified its documents ground the answer')
    .action(async (model: string, question: string, flags: AskFlags) => {
      const { ask } = await import('./ask.ts')
      setExitCode(await ask(context(), { model, question }, flags))
    })
}
