// The extension's sources import nothing but their own framework.
#import <Foundation/Foundation.h>
#import <Intents/Intents.h>
#import "Objects.h"
