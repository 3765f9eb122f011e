/* SPDX-License-Identifier: MIT
 *
 * vulkan: computes tables with a compute shader, tests/gpu/fill.comp. It reads a file DIR/k.in for
 * each table k = 0, 1 ... and writes DIR/k.NAME. The former come from tests/gpu/tables.c, which
 * also checks the latter. VK_ICD_FILENAMES names the driver, whose first device is used.
 *
 *     vulkan SHADER.spv DIR NAME
 *
 * The exit status is 77 if there is no device.
 */
#include <vulkan/vulkan.h>

#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 3 }; /* increments, table, the count of undecided pairs */

typedef struct gpu {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkDescriptorSetLayout set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool descriptors;
    VkCommandPool commands;
} gpu;

static void need(VkResult result, const char *what)
{
    if (result == VK_SUCCESS) return;
    (void)fprintf(stderr, "vulkan: %s: error %d\n", what, (int)result);
    exit(1);
}

static void open_device(gpu *g)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    VkInstance instance;
    VkPhysicalDeviceProperties properties;
    uint32_t count = 1;
    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(instance, &count, &g->physical) < 0 || count == 0) {
        puts("SKIP: there is no Vulkan device");
        exit(77);
    }
    vkGetPhysicalDeviceProperties(g->physical, &properties);
    printf("device: %s\n", properties.deviceName);
    need(vkCreateDevice(g->physical, &device, NULL, &g->device), "the device");
    vkGetDeviceQueue(g->device, 0, 0, &g->queue);
}

static VkShaderModule shader(const gpu *g, const char *path)
{
    static uint32_t code[1 << 18];
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .pCode = code};
    VkShaderModule module;
    FILE *const f = fopen(path, "rb");
    if (f == NULL || (info.codeSize = fread(code, 1, sizeof code, f)) == 0) exit(1);
    (void)fclose(f);
    need(vkCreateShaderModule(g->device, &info, NULL, &module), "the shader");
    return module;
}

static void make_pipeline(gpu *g, const char *path)
{
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = BUFFERS,
        .pBindings = bindings};
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 * sizeof(int32_t)};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &g->set,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    VkComputePipelineCreateInfo pipeline = {.sType =
                                                VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    for (uint32_t k = 0; k < BUFFERS; k++)
        bindings[k] = (VkDescriptorSetLayoutBinding){k, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    need(vkCreateDescriptorSetLayout(g->device, &set, NULL, &g->set), "the bindings");
    need(vkCreatePipelineLayout(g->device, &layout, NULL, &g->layout), "the layout");
    pipeline.layout = g->layout;
    pipeline.stage = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .module = shader(g, path),
        .pName = "main"};
    need(vkCreateComputePipelines(g->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &g->pipeline),
         "the pipeline");
}

static void make_pools(gpu *g)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16 * BUFFERS};
    const VkDescriptorPoolCreateInfo descriptors = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 16,
        .poolSizeCount = 1,
        .pPoolSizes = &size};
    const VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    need(vkCreateDescriptorPool(g->device, &descriptors, NULL, &g->descriptors), "the descriptors");
    need(vkCreateCommandPool(g->device, &commands, NULL, &g->commands), "the commands");
}

/* Makes a buffer in memory that host and device share, and gives it to binding k of the set.
   Returns the host's address of the memory. */
static void *buffer(const gpu *g, VkDescriptorSet set, uint32_t k, VkDeviceSize size)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer made;
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties has;
    VkDeviceMemory memory;
    void *mapped;
    need(vkCreateBuffer(g->device, &info, NULL, &made), "a buffer");
    vkGetBufferMemoryRequirements(g->device, made, &needs);
    vkGetPhysicalDeviceMemoryProperties(g->physical, &has);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size};
    while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0 ||
           (has.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) != wanted)
        allocate.memoryTypeIndex++;
    need(vkAllocateMemory(g->device, &allocate, NULL, &memory), "memory");
    need(vkBindBufferMemory(g->device, made, memory, 0), "memory of a buffer");
    need(vkMapMemory(g->device, memory, 0, size, 0, &mapped), "mapped memory");
    const VkDescriptorBufferInfo whole = {made, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .dstBinding = k,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &whole};
    vkUpdateDescriptorSets(g->device, 1, &write, 0, NULL);
    return mapped;
}

/* Runs the shader once. size has the first position, the rows, the pairs and the bits of the
   amplitude. */
static void dispatch(const gpu *g, VkDescriptorSet set, const int32_t *size)
{
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = g->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const uint32_t groups = ((uint32_t)size[1] * (uint32_t)size[2] + 63) / 64;
    VkCommandBuffer commands;
    need(vkAllocateCommandBuffers(g->device, &allocate, &commands), "commands");
    need(vkBeginCommandBuffer(commands, &begin), "begin");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, g->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, g->layout, 0, 1, &set, 0,
                            NULL);
    vkCmdPushConstants(commands, g->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 * sizeof *size, size);
    vkCmdDispatch(commands, groups < 65535 ? groups : 65535, (groups + 65534) / 65535, 1);
    need(vkEndCommandBuffer(commands), "end");
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    need(vkQueueSubmit(g->queue, 1, &submit, VK_NULL_HANDLE), "submit");
    need(vkQueueWaitIdle(g->queue), "wait");
}

/* Computes table k and writes DIR/k.NAME. Returns 0 if there is no file DIR/k.in. The memory that
   it allocates is not freed before the program ends. */
static int run(const gpu *g, const char *directory, unsigned k, const char *name)
{
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = g->descriptors,
        .descriptorSetCount = 1,
        .pSetLayouts = &g->set};
    char path[4096];
    int32_t head[4];
    VkDescriptorSet set;
    (void)snprintf(path, sizeof path, "%s/%u.in", directory, k);
    FILE *f = fopen(path, "rb");
    if (f == NULL) return 0;
    if (fread(head, sizeof head, 1, f) != 1) exit(1);
    need(vkAllocateDescriptorSets(g->device, &allocate, &set), "a set of buffers");
    const size_t pairs = (size_t)head[2], bytes = 8 * pairs * (size_t)head[1];
    void *const increments = buffer(g, set, 0, 16 * pairs), *const table = buffer(g, set, 1, bytes);
    uint32_t *const undecided = (uint32_t *)buffer(g, set, 2, sizeof *undecided);
    if (fread(increments, 16, pairs, f) != pairs || fclose(f) != 0) exit(1);
    *undecided = 0;
    dispatch(g, set, head);
    (void)snprintf(path, sizeof path, "%s/%u.%s", directory, k, name);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(table, 1, bytes, f) != bytes || fwrite(undecided, 4, 1, f) != 1 ||
        fclose(f) != 0)
        exit(1);
    return 1;
}

int main(int argc, char **argv)
{
    gpu g;
    if (argc != 4) return 2;
    open_device(&g);
    make_pipeline(&g, argv[1]);
    make_pools(&g);
    for (unsigned k = 0; run(&g, argv[2], k, argv[3]);) k++;
    return 0;
}
