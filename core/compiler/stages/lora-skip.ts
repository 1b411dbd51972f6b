/** Why no adapter is fitted, by code, for people. There is no trainer in this build. */
export const LORA_SKIP_REASONS = {
  cheaper_recipe_passes: 'a cheaper recipe reaches the floor, so no adapter is needed',
  no_trainer_installed: 'no LoRA trainer is part of this build',
} as const
