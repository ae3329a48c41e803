// The extension's sources import nothing but their own framework.
#import "Objects.h"
#import <Foundation/Foundation.h>
#import <Intents/Intents.h>
