import type { Services } from '../../api/services';
import type { FilePool } from './file-work';
import type { AssetStorage } from './storage';

/** The dependencies of plugins that read or write the bytes of assets. */
export interface AssetServices extends Services {
    /** the bytes of pictures and sounds */
    assets: AssetStorage;
    /** processes that read and scale pictures, and check files */
    files: FilePool;
}
