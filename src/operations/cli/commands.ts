import { accountCommands } from './account-commands';
import { appCommands } from './app-commands';
import { archiveCommands } from './archive-commands';
import { assetCommands } from './asset-commands';
import { classCommands } from './class-commands';
import { clusterCommands } from './cluster-commands';
import type { Commands } from './command';
import { dataCommands } from './data-commands';
import { moderationCommands } from './moderation-commands';
import { placeCommands } from './place-commands';
import { schemaCommands } from './schema-commands';
import { webhookCommands } from './webhook-commands';

/** Every command by its name. */
export const commands: Commands = { ...accountCommands, ...classCommands, ...moderationCommands, ...appCommands, ...placeCommands, ...webhookCommands, ...dataCommands, ...archiveCommands, ...assetCommands, ...schemaCommands, ...clusterCommands };
