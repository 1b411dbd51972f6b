import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { addGenerationCommands } from './model-generation.ts'

/** `svc model …`: commands that work on a folder of weights right here, without a server. */
export function addModelCommands(program: Command, context: () => CliContext): void {
  const model = program.command('model').description('inspect a base model on this machine; needs no server')
  model
    .command('info')
    .description('check a folder of weights and show its content')
    .argument('<dir>', 'folder with config.json, safetensors and tokenizer.json')
    .action(async (directory: string) => {
      const { showModel } = await import('./model-info.ts')
      await showModel(context(), directory)
    })
  addGenerationCommands(model, context)
}
