/** The region of the AWS profile in use. */
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';

export async function regionOfProfile(): Promise<string | undefined> {
  try {
    return await loadConfig(NODE_REGION_CONFIG_OPTIONS, { ...NODE_REGION_CONFIG_FILE_OPTIONS, ignoreCache: true })();
  } catch {
    return undefined;
  }
}
